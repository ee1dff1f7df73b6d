// A range that holds nothing.
use pi_tools::prelude::*;

/// Try something.
#[pi_tool]
async fn attempt(
    /// A value.
    #[arg(range = 5..5)]
    value: u32,
) -> String {
    let _ = value;
    String::new()
}

fn main() {}
