// A tool has no const parameters either.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool]
async fn greet<const N: usize>() -> String {
    N.to_string()
}

fn main() {}
