// A name that cannot be read is not missed in the guidelines as well.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(name = hello, guidelines = ["Use hello early"])]
async fn greet() -> String {
    String::new()
}

fn main() {}
