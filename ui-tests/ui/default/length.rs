// A default that its own length refuses.
use pi_tools::prelude::*;

/// Try something.
#[pi_tool]
async fn attempt(
    /// A value.
    #[arg(default = "", length = 1..=9)]
    value: String,
) -> String {
    let _ = value;
    String::new()
}

fn main() {}
