// A range that allows nothing is one mistake, whatever the default.
use pi_tools::prelude::*;

/// Try something.
#[pi_tool]
async fn attempt(
    /// A value.
    #[arg(default = 5, range = 9..=1)]
    value: u32,
) -> String {
    value.to_string()
}

fn main() {}
