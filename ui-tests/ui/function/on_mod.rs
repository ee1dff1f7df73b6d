// `#[pi_tool]` goes on a function, not on `mod`.
use pi_tools::prelude::*;

#[pi_tool]
mod greeting {}

fn main() {}
