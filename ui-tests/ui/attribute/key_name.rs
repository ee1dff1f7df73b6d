// `name` takes a text.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(name = greet)]
async fn greet() -> String {
    String::new()
}

fn main() {}
