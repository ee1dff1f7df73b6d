// A colon in place of `=`.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(label: "Greet")]
async fn greet() -> String {
    String::new()
}

fn main() {}
