// A colon without a style.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(render_result = "{text:}")]
async fn greet(
    /// Whom to greet.
    name: String,
) -> String {
    name
}

fn main() {}
