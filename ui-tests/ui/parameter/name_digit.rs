// An argument's name begins with a letter or `_`.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool]
async fn greet(
    /// Whom to greet.
    #[arg(rename = "1st")]
    name: String,
) -> String {
    let _ = name;
    String::new()
}

fn main() {}
