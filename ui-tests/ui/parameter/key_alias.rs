// `alias` takes a text or a list of texts.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool]
async fn greet(
    /// Whom to greet.
    #[arg(alias = 1)]
    name: String,
) -> String {
    let _ = name;
    String::new()
}

fn main() {}
