// `guidelines` takes a list of texts, and nothing else in it.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(guidelines = ["Use greet", 1])]
async fn greet() -> String {
    String::new()
}

fn main() {}
