// A name begins with a letter or `_`.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(name = "2greet")]
async fn greet() -> String {
    String::new()
}

fn main() {}
