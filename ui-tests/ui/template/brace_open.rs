// An opening brace without its other.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(confirm = "Greet {name?")]
async fn greet(
    /// Whom to greet.
    name: String,
) -> String {
    name
}

fn main() {}
