// `idempotent` takes true or false.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(idempotent = yes)]
async fn greet() -> String {
    String::new()
}

fn main() {}
