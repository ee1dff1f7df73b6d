// The result of a function that blocks, at its type.
use pi_tools::prelude::*;

/// Count things.
#[pi_tool]
fn count() -> bool {
    true
}

fn main() {}
