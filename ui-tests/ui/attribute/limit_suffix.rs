// A limit is written without a suffix.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(max_lines = 10u8)]
async fn greet() -> String {
    String::new()
}

fn main() {}
