// The error of a `prepare` function converts into `ToolError`.
use pi_tools::prelude::*;
use pi_tools::serde_json::Value;

fn rewrite(arguments: Value) -> Result<Value, u32> {
    Ok(arguments)
}

/// Greet someone.
#[pi_tool(prepare = rewrite)]
async fn greet() -> String {
    String::new()
}

fn main() {}
