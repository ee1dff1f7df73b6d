// A text is no number.
use pi_tools::prelude::*;

/// Try something.
#[pi_tool]
async fn attempt(
    /// A value.
    #[arg(default = "ten")]
    value: u32,
) -> String {
    let _ = value;
    String::new()
}

fn main() {}
