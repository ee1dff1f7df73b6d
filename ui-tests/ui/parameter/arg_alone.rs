// `#[arg]` without parentheses says nothing.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool]
async fn greet(
    /// Whom to greet.
    #[arg]
    name: String,
) -> String {
    let _ = name;
    String::new()
}

fn main() {}
