// A style that is like no other.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(render_call = "greet {name:huge}")]
async fn greet(
    /// Whom to greet.
    name: String,
) -> String {
    name
}

fn main() {}
