// `#[pi_tool]` goes on a function, not on `trait`.
use pi_tools::prelude::*;

#[pi_tool]
trait Greeting {}

fn main() {}
