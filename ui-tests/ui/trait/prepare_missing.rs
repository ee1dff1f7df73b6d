// A `prepare` function that is not there.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(prepare = rewrite)]
async fn greet() -> String {
    String::new()
}

fn main() {}
