// `()` is no error.
use pi_tools::prelude::*;

/// Count things.
#[pi_tool]
async fn count() -> Result<String, ()> {
    Err(())
}

fn main() {}
