// An empty name.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(name = "")]
async fn greet() -> String {
    String::new()
}

fn main() {}
