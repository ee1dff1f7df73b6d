// `#[arg]` takes a list in parentheses.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool]
async fn greet(
    /// Whom to greet.
    #[arg = "who"]
    name: String,
) -> String {
    let _ = name;
    String::new()
}

fn main() {}
