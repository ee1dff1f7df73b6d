// A number is no `String`.
use pi_tools::prelude::*;

/// Try something.
#[pi_tool]
async fn attempt(
    /// A value.
    #[arg(default = 10)]
    value: String,
) -> String {
    let _ = value;
    String::new()
}

fn main() {}
