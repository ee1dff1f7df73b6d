// Every key of `#[arg]` with a value of the wrong kind.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool]
async fn greet(
    /// Whom to greet.
    #[arg(alias = 1, default, range = 5, length = 5, pattern = 1, examples = 1, rename = 1, flatten = 1, mutates = 1)]
    name: String,
) -> String {
    name
}

fn main() {}
