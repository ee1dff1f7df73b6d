// A range without ends says nothing.
use pi_tools::prelude::*;

/// Try something.
#[pi_tool]
async fn attempt(
    /// A value.
    #[arg(range = ..)]
    value: u32,
) -> String {
    let _ = value;
    String::new()
}

fn main() {}
