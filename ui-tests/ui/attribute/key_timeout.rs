// `timeout` takes a text with a unit, no number.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(timeout = 30)]
async fn greet() -> String {
    String::new()
}

fn main() {}
