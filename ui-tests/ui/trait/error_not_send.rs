// A boxed error is `Send` and `Sync`.
use pi_tools::prelude::*;
use std::error::Error;

/// Count things.
#[pi_tool]
async fn count() -> Result<String, Box<dyn Error>> {
    Ok(String::new())
}

fn main() {}
