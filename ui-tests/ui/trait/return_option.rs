// An `Option` is no result.
use pi_tools::prelude::*;

/// Count things.
#[pi_tool]
async fn count() -> Option<String> {
    None
}

fn main() {}
