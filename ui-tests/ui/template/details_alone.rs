// All details at once.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(render_result = "{details:dim}")]
async fn greet(
    /// Whom to greet.
    name: String,
) -> String {
    name
}

fn main() {}
