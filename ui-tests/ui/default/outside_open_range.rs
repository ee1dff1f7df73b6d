// The end of `a..b` is outside.
use pi_tools::prelude::*;

/// Try something.
#[pi_tool]
async fn attempt(
    /// A value.
    #[arg(default = 50, range = 1..50)]
    value: u32,
) -> String {
    let _ = value;
    String::new()
}

fn main() {}
