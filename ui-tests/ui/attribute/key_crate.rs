// `crate` takes a path, no text.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(crate = "pi_tools")]
async fn greet() -> String {
    String::new()
}

fn main() {}
