// `prepare` takes a path, no text.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(prepare = "rewrite")]
async fn greet() -> String {
    String::new()
}

fn main() {}
