// A comma is missing between two keys.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(name = "greet" label = "Greet")]
async fn greet() -> String {
    String::new()
}

fn main() {}
