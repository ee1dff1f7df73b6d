// A wrong state of a function that blocks.
use pi_tools::prelude::*;

struct Count(u32);

/// Count calls.
#[pi_tool]
fn count(count: &mut Count) -> String {
    count.0.to_string()
}

fn main() {}
