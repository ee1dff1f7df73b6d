// A comma is missing between two keys of `#[arg]`.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool]
async fn greet(
    /// Whom to greet.
    #[arg(rename = "who" length = 1..=9)]
    name: String,
) -> String {
    let _ = name;
    String::new()
}

fn main() {}
