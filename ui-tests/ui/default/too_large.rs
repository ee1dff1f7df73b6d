// A number that the type cannot hold.
use pi_tools::prelude::*;

/// Try something.
#[pi_tool]
async fn attempt(
    /// A value.
    #[arg(default = 300)]
    value: u8,
) -> String {
    let _ = value;
    String::new()
}

fn main() {}
