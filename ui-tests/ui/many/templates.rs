// Both templates, each wrong in its own way.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(confirm = "Greet {who} of {where}?", render_call = "greet {name")]
async fn greet(
    /// Whom to greet.
    name: String,
) -> String {
    name
}

fn main() {}
