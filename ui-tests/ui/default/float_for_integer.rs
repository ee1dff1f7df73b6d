// A number with a point is no integer.
use pi_tools::prelude::*;

/// Try something.
#[pi_tool]
async fn attempt(
    /// A value.
    #[arg(default = 1.5)]
    value: u32,
) -> String {
    let _ = value;
    String::new()
}

fn main() {}
