// An argument's name cannot be empty.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool]
async fn greet(
    /// Whom to greet.
    #[arg(rename = "")]
    name: String,
) -> String {
    let _ = name;
    String::new()
}

fn main() {}
