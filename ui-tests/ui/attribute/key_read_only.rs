// `read_only` takes true or false.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(read_only = "yes")]
async fn greet() -> String {
    String::new()
}

fn main() {}
