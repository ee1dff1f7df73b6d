// The least length stands first.
use pi_tools::prelude::*;

/// Try something.
#[pi_tool]
async fn attempt(
    /// A value.
    #[arg(length = 9..=1)]
    value: String,
) -> String {
    let _ = value;
    String::new()
}

fn main() {}
