// A value without a key.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool("greet")]
async fn greet() -> String {
    String::new()
}

fn main() {}
