// `#[pi_tool]` goes on a function, not on `const`.
use pi_tools::prelude::*;

#[pi_tool]
const GREETING: &str = "Hello";

fn main() {}
