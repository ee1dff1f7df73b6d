// A limit says nothing where nothing is cut.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(truncate = "none", max_lines = 10)]
async fn greet() -> String {
    String::new()
}

fn main() {}
