// `register` takes true or false.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(register = no)]
async fn greet() -> String {
    String::new()
}

fn main() {}
