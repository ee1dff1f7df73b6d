// A length without ends says nothing.
use pi_tools::prelude::*;

/// Try something.
#[pi_tool]
async fn attempt(
    /// A value.
    #[arg(length = ..)]
    value: String,
) -> String {
    let _ = value;
    String::new()
}

fn main() {}
