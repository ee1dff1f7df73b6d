// A tool has the ABI of Rust.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool]
extern "C" fn greet() {}

fn main() {}
