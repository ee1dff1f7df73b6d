// A length is not for numbers: the message shows `range`.
use pi_tools::prelude::*;

/// Try something.
#[pi_tool]
async fn attempt(
    /// A value.
    #[arg(length = 1..=5)]
    value: u32,
) -> String {
    let _ = value;
    String::new()
}

fn main() {}
