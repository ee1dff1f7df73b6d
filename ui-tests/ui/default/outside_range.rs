// A default that its own range refuses.
use pi_tools::prelude::*;

/// Try something.
#[pi_tool]
async fn attempt(
    /// A value.
    #[arg(default = 0, range = 1..=50)]
    value: u32,
) -> String {
    let _ = value;
    String::new()
}

fn main() {}
