// `destructive` takes true or false.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(destructive = 1)]
async fn greet() -> String {
    String::new()
}

fn main() {}
