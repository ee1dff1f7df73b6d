// The ends are written out.
use pi_tools::prelude::*;

const LEAST: u32 = 1;
const GREATEST: u32 = 5;

/// Try something.
#[pi_tool]
async fn attempt(
    /// A value.
    #[arg(range = LEAST..=GREATEST)]
    value: u32,
) -> String {
    let _ = value;
    format!("{LEAST} {GREATEST}")
}

fn main() {}
