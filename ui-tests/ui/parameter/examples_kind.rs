// An example is a text, a number, true or false.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool]
async fn greet(
    /// Whom to greet.
    #[arg(examples = [b"Ada", 'A'])]
    name: String,
) -> String {
    let _ = name;
    String::new()
}

fn main() {}
