// A name that is not in scope: one error, at it.
use pi_tools::prelude::*;

/// Try something.
#[pi_tool]
async fn attempt(
    /// A value.
    #[arg(default = LIMIT)]
    value: u32,
) -> String {
    let _ = value;
    String::new()
}

fn main() {}
