// What a `prepare` function takes.
use pi_tools::prelude::*;
use pi_tools::serde_json::Value;

fn rewrite(arguments: String) -> Value {
    arguments.into()
}

/// Greet someone.
#[pi_tool(prepare = rewrite)]
async fn greet() -> String {
    String::new()
}

fn main() {}
