// `confirm` takes a text: the question.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(confirm = true)]
async fn greet() -> String {
    String::new()
}

fn main() {}
