// A result has a named type.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool]
async fn greet() -> impl Into<String> {
    "Hello"
}

fn main() {}
