// A value of the details without saying so.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(render_result = "{count} files")]
async fn greet(
    /// Whom to greet.
    name: String,
) -> String {
    name
}

fn main() {}
