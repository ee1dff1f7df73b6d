// `rename` takes a text.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool]
async fn greet(
    /// Whom to greet.
    #[arg(rename = who)]
    name: String,
) -> String {
    let _ = name;
    String::new()
}

fn main() {}
