// A text as the default of a choice with a mistake is no second error.
use pi_tools::prelude::*;

#[derive(Clone, Copy, StringEnum)]
enum Mode {
    #[string_enum(renamed = "quick")]
    Fast,
    Slow,
}

/// Try something.
#[pi_tool]
async fn attempt(
    /// How.
    #[arg(default = "slow")]
    mode: Mode,
) -> String {
    mode.to_string()
}

fn main() {}
