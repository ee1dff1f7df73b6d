// A tool that is not there gives no name either.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(overrides = "say hello")]
async fn greet() -> String {
    String::new()
}

fn main() {}
