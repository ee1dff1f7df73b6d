// What the error of a result can be, at the type.
use pi_tools::prelude::*;

struct Broken;

/// Fail.
#[pi_tool]
async fn fail() -> Result<String, Broken> {
    Err(Broken)
}

fn main() {}
