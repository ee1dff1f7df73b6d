// What a tool can return, at the type.
use pi_tools::prelude::*;

/// Count things.
#[pi_tool]
async fn count() -> u32 {
    3
}

fn main() {}
