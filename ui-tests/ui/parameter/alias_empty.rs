// An alias cannot be empty.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool]
async fn greet(
    /// Whom to greet.
    #[arg(alias = "")]
    name: String,
) -> String {
    let _ = name;
    String::new()
}

fn main() {}
