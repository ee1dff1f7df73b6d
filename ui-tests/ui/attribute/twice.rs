// A key given twice.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(name = "greet", name = "hello")]
async fn greet() -> String {
    String::new()
}

fn main() {}
