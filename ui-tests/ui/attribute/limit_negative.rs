// A limit is not negative.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(max_bytes = -1)]
async fn greet() -> String {
    String::new()
}

fn main() {}
