// An empty snippet: write one, or leave it out.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(prompt_snippet = "")]
async fn greet() -> String {
    String::new()
}

fn main() {}
