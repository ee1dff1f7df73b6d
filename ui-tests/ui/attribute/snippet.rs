// The snippet is one line.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(prompt_snippet = "Greet\nsomeone")]
async fn greet() -> String {
    String::new()
}

fn main() {}
