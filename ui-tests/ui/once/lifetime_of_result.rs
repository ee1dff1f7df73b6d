// A borrowed result: what lacks is one lifetime.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool]
fn greet() -> &str {
    "Hello"
}

fn main() {}
