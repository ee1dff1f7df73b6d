// `StringEnum` on a struct that a tool takes.
use pi_tools::prelude::*;

#[derive(Clone, StringEnum)]
struct Mode;

/// Try something.
#[pi_tool]
async fn attempt(
    /// How.
    mode: Mode,
) -> String {
    mode.to_string()
}

fn main() {}
