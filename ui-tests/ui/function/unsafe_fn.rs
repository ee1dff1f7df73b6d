// A tool is safe to call.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool]
unsafe fn greet() -> String {
    String::new()
}

fn main() {}
