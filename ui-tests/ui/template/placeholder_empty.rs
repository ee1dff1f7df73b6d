// A placeholder without a name.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(confirm = "Greet {}?")]
async fn greet(
    /// Whom to greet.
    name: String,
) -> String {
    name
}

fn main() {}
