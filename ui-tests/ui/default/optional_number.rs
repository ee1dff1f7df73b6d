// A default of an `Option` is written with `Some`.
use pi_tools::prelude::*;

/// Try something.
#[pi_tool]
async fn attempt(
    /// A value.
    #[arg(default = 10)]
    value: Option<u32>,
) -> String {
    let _ = value;
    String::new()
}

fn main() {}
