// `description` takes a text.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(description = true)]
async fn greet() -> String {
    String::new()
}

fn main() {}
