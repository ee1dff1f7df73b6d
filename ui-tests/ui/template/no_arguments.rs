// A placeholder where there is no argument.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(confirm = "Greet {name}?")]
async fn greet() -> String {
    String::new()
}

fn main() {}
