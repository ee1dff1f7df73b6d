// An open range of floats from a number to itself.
use pi_tools::prelude::*;

/// Try something.
#[pi_tool]
async fn attempt(
    /// A value.
    #[arg(range = 0.5..0.5)]
    value: f64,
) -> String {
    let _ = value;
    String::new()
}

fn main() {}
