// `namespace` takes a text.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(namespace = notes)]
async fn greet() -> String {
    String::new()
}

fn main() {}
