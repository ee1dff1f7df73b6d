// A longer word with the name in it does not name the tool.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(guidelines = ["Use greeting cards"])]
async fn greet() -> String {
    String::new()
}

fn main() {}
