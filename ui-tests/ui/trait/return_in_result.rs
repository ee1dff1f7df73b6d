// What a `Result` holds must be a result.
use pi_tools::prelude::*;

/// Count things.
#[pi_tool]
async fn count() -> Result<u32, ToolError> {
    Ok(3)
}

fn main() {}
