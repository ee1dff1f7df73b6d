// `max_lines` takes a number.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(max_lines = "2000")]
async fn greet() -> String {
    String::new()
}

fn main() {}
