// A handle whose name is taken.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(handle = Greet)]
async fn greet() -> String {
    Greet::TEXT.to_owned()
}

struct Greet;

impl Greet {
    const TEXT: &str = "Hello";
}

fn main() {}
