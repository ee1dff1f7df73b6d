// Styles that are joined by commas.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(render_call = "greet {name:accent,bold}")]
async fn greet(
    /// Whom to greet.
    name: String,
) -> String {
    name
}

fn main() {}
