// A label that says nothing.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(label = " ")]
async fn greet() -> String {
    String::new()
}

fn main() {}
