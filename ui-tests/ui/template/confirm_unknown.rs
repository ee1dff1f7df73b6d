// A placeholder that is no argument: those that there are are named.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(confirm = "Greet {nmae}?")]
async fn greet(
    /// Whom to greet.
    name: String,
) -> String {
    name
}

fn main() {}
