// A text as the default of an `Option`.
use pi_tools::prelude::*;

/// Try something.
#[pi_tool]
async fn attempt(
    /// A value.
    #[arg(default = "ten")]
    value: Option<String>,
) -> String {
    let _ = value;
    String::new()
}

fn main() {}
