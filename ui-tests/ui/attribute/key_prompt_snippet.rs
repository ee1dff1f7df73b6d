// `prompt_snippet` takes a text, no character.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(prompt_snippet = 'g')]
async fn greet() -> String {
    String::new()
}

fn main() {}
