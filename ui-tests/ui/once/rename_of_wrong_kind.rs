// A new name that cannot be read is not missed in a template as well.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(confirm = "Greet {who}?")]
async fn greet(
    /// Whom to greet.
    #[arg(rename = who)]
    name: String,
) -> String {
    name
}

fn main() {}
