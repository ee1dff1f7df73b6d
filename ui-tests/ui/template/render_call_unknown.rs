// A placeholder with a style that is no argument.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(render_call = "greet {who:accent}")]
async fn greet(
    /// Whom to greet.
    name: String,
) -> String {
    name
}

fn main() {}
