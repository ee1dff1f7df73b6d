// A list is a result within `Json`.
use pi_tools::prelude::*;

/// Count things.
#[pi_tool]
async fn count() -> Vec<String> {
    Vec::new()
}

fn main() {}
