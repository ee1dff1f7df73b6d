// A description that says nothing: the message points at it.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(description = "  ")]
async fn greet() -> String {
    String::new()
}

fn main() {}
