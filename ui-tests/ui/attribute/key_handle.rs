// `handle` takes a name, no text.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(handle = "Greet")]
async fn greet() -> String {
    String::new()
}

fn main() {}
