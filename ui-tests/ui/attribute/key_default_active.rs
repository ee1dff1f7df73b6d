// `default_active` takes true or false.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(default_active = "no")]
async fn greet() -> String {
    String::new()
}

fn main() {}
