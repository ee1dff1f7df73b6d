// Lines of a result that the host draws.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(render_lines = 5)]
async fn greet(
    /// Whom to greet.
    name: String,
) -> String {
    name
}

fn main() {}
