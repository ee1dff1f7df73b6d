// A mistake in the body is the compiler's own, once.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool]
async fn greet() -> String {
    3
}

fn main() {}
