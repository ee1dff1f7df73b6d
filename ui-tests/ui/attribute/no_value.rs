// A key without its value.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(label, name =)]
async fn greet() -> String {
    String::new()
}

fn main() {}
