// `max_bytes` takes a whole number.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(max_bytes = 50.5)]
async fn greet() -> String {
    String::new()
}

fn main() {}
