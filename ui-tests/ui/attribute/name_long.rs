// A name has at most 64 letters; this one has 65.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(name = "greet_greet_greet_greet_greet_greet_greet_greet_greet_greet_greet")]
async fn greet() -> String {
    String::new()
}

fn main() {}
