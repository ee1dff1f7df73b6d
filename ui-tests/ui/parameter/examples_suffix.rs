// An example is written without a suffix.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool]
async fn greet(
    /// Whom to greet.
    #[arg(examples = [1u8])]
    name: u8,
) -> String {
    let _ = name;
    String::new()
}

fn main() {}
