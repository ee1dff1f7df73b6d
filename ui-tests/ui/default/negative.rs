// A negative number is no `u32`.
use pi_tools::prelude::*;

/// Try something.
#[pi_tool]
async fn attempt(
    /// A value.
    #[arg(default = -1)]
    value: u32,
) -> String {
    let _ = value;
    String::new()
}

fn main() {}
