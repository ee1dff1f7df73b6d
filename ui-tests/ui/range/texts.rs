// The ends are numbers.
use pi_tools::prelude::*;

/// Try something.
#[pi_tool]
async fn attempt(
    /// A value.
    #[arg(range = "a".."z")]
    value: u32,
) -> String {
    let _ = value;
    String::new()
}

fn main() {}
