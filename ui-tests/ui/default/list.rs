// A list is not of the type `Vec`.
use pi_tools::prelude::*;

/// Try something.
#[pi_tool]
async fn attempt(
    /// A value.
    #[arg(default = ["a"])]
    value: Vec<String>,
) -> String {
    let _ = value;
    String::new()
}

fn main() {}
