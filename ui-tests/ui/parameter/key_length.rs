// `length` takes a range, no text.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool]
async fn greet(
    /// Whom to greet.
    #[arg(length = "1..=5")]
    name: String,
) -> String {
    let _ = name;
    String::new()
}

fn main() {}
