// A comma is missing behind a key without a value.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(read_only label = "Greet")]
async fn greet() -> String {
    String::new()
}

fn main() {}
