// What a `prepare` function returns.
use pi_tools::prelude::*;
use pi_tools::serde_json::Value;

fn rewrite(_: Value) -> String {
    String::new()
}

/// Greet someone.
#[pi_tool(prepare = rewrite)]
async fn greet() -> String {
    String::new()
}

fn main() {}
