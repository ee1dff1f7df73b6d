// Every range that can be wrong.
use pi_tools::prelude::*;

const LEAST: u32 = 1;

/// Try something.
#[pi_tool]
async fn attempt(
    /// A value.
    #[arg(range = 9..=1)]
    a: u32,
    /// A value.
    #[arg(range = ..)]
    b: u32,
    /// A value.
    #[arg(range = LEAST..=9)]
    c: u32,
    /// A value.
    #[arg(length = 5..5, default = "")]
    d: String,
    /// A value.
    #[arg(range = 1..=5, default = 6)]
    e: u32,
) -> String {
    format!("{}{d}", a + b + c + e + LEAST)
}

fn main() {}
