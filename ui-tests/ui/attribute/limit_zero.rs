// A limit of zero would cut everything.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(max_lines = 0, max_bytes = 0)]
async fn greet() -> String {
    String::new()
}

fn main() {}
