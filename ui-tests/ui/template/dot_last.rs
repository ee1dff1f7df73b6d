// A dot without a name behind it.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(render_call = "greet {name.}")]
async fn greet(
    /// Whom to greet.
    name: String,
) -> String {
    name
}

fn main() {}
