// A tool takes a `Vec` in place of `...`.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool]
unsafe extern "C" fn greet(_: ...) {}

fn main() {}
