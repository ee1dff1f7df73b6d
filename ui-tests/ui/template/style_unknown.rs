// A misspelled style.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(render_call = "greet {name:acent}")]
async fn greet(
    /// Whom to greet.
    name: String,
) -> String {
    name
}

fn main() {}
