// A range is for numbers: the message shows `length`.
use pi_tools::prelude::*;

/// Try something.
#[pi_tool]
async fn attempt(
    /// A value.
    #[arg(range = 1..=5)]
    value: String,
) -> String {
    let _ = value;
    String::new()
}

fn main() {}
