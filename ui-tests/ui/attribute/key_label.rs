// `label` takes a text.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(label = ["Greet"])]
async fn greet() -> String {
    String::new()
}

fn main() {}
