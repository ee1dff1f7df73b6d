// `pattern` takes a text.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool]
async fn greet(
    /// Whom to greet.
    #[arg(pattern = [a - z])]
    name: String,
) -> String {
    let _ = name;
    String::new()
}

fn main() {}
