// A future of the function is still a future of its result.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool]
async fn greet(name: String) -> Result<String, ToolError> {
    Ok(name)
}

/// Greet everyone.
#[pi_tool]
async fn greet_all() -> Result<String, ToolError> {
    let text = greet("all".to_owned()).await?;
    Ok(text.to_uppercase())
}

fn main() {}
