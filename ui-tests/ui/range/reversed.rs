// The least value stands first.
use pi_tools::prelude::*;

/// Try something.
#[pi_tool]
async fn attempt(
    /// A value.
    #[arg(range = 10..=1)]
    value: u32,
) -> String {
    let _ = value;
    String::new()
}

fn main() {}
