// A length is not for a choice of words.
use pi_tools::prelude::*;

#[derive(Clone, Copy, StringEnum)]
enum Mode {
    Fast,
    Slow,
}

/// Try something.
#[pi_tool]
async fn attempt(
    /// A value.
    #[arg(length = 1..=5)]
    value: Mode,
) -> String {
    let _ = value;
    String::new()
}

fn main() {}
