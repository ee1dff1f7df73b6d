// Defaults of other types, one error each.
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
    #[arg(default = 10)]
    a: String,
    /// A value.
    #[arg(default = "ten")]
    b: u32,
    /// A value.
    #[arg(default = "medium")]
    mode: Mode,
    /// A value.
    #[arg(range = 1..=5)]
    c: String,
) -> String {
    format!("{a}{b}{mode}{c}")
}

fn main() {}
