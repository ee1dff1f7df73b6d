// A key of `#[arg]` that is like no other: all keys are named.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool]
async fn greet(
    /// Whom to greet.
    #[arg(colour = "red")]
    name: String,
) -> String {
    let _ = name;
    String::new()
}

fn main() {}
