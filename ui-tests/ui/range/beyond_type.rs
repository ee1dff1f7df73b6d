// A range that the type cannot have: the message shows the range, and both are told.
use pi_tools::prelude::*;

/// Try something.
#[pi_tool]
async fn attempt(
    /// A value.
    #[arg(range = -5..=100)]
    small: u8,
    /// A value.
    #[arg(range = ..1000)]
    optional: Option<i8>,
    /// A value: 256 itself is outside.
    #[arg(range = 0..256)]
    whole: u8,
) -> String {
    format!("{small} {optional:?} {whole}")
}

fn main() {}
