// Neither registered nor named.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(register = false)]
async fn greet() -> String {
    String::new()
}

fn main() {}
