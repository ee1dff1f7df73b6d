// Nor is a part of the result without a name.
use pi_tools::prelude::*;

/// Greet.
#[pi_tool]
async fn greet() -> Result<impl Into<String>, ToolError> {
    Ok("Hello")
}

fn main() {}
