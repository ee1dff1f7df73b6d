// A `prepare` function is not `async`.
use pi_tools::prelude::*;
use pi_tools::serde_json::Value;

async fn rewrite(arguments: Value) -> Value {
    arguments
}

/// Greet someone.
#[pi_tool(prepare = rewrite)]
async fn greet() -> String {
    String::new()
}

fn main() {}
