// A field of no argument.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(render_call = "greet {who.first}")]
async fn greet(
    /// Whom to greet.
    name: String,
) -> String {
    name
}

fn main() {}
