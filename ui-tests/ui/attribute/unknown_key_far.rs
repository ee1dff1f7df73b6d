// A key that is like no other: all keys are named.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(colour = "red")]
async fn greet() -> String {
    String::new()
}

fn main() {}
