// Wrong values, unknown keys and a value without a key in one attribute.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool("greet", label = 1, colour = "red", timeot = "5s", max_lines = "ten", read_only = 1, read_only)]
async fn greet() -> String {
    String::new()
}

fn main() {}
