// `overrides` takes a text.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(overrides = read)]
async fn greet() -> String {
    String::new()
}

fn main() {}
