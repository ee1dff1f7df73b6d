// All mistakes of what is drawn.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(render_call = "greet {nmae:acent} {name:dim muted}", render_result = "{count} {details} {text.x}")]
async fn greet(
    /// Whom to greet.
    name: String,
) -> String {
    name
}

fn main() {}
