// A generic choice that a tool takes.
use pi_tools::prelude::*;

#[derive(Clone, StringEnum)]
enum Mode<const N: usize> {
    Fast,
    Slow,
}

/// Try something.
#[pi_tool]
async fn attempt(
    /// How.
    mode: Mode<1>,
) -> String {
    mode.to_string()
}

fn main() {}
