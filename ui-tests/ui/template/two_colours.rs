// Two colours for one text.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(render_call = "greet {name:accent bold dim}")]
async fn greet(
    /// Whom to greet.
    name: String,
) -> String {
    name
}

fn main() {}
