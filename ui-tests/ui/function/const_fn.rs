// A tool is not `const`.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool]
const fn greet() -> &'static str {
    "Hello"
}

fn main() {}
