// Names that a provider refuses, and one that crashes Pi.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(name = "say hello")]
async fn greet() -> String {
    String::new()
}

/// Build something.
#[pi_tool]
async fn constructor() -> String {
    String::new()
}

fn main() {}
