// A placeholder has the name that the model uses.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(confirm = "Greet {name}?")]
async fn greet(
    /// Whom to greet.
    #[arg(rename = "who")]
    name: String,
) -> String {
    name
}

fn main() {}
