// A limit fits into 64 bits.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(max_lines = 99999999999999999999)]
async fn greet() -> String {
    String::new()
}

fn main() {}
