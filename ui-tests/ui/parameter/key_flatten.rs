// `flatten` takes true or false.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool]
async fn greet(
    /// Whom to greet.
    #[arg(flatten = "yes")]
    name: String,
) -> String {
    let _ = name;
    String::new()
}

fn main() {}
