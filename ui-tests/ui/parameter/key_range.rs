// `range` takes a range.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool]
async fn greet(
    /// Whom to greet.
    #[arg(range = 5)]
    name: u32,
) -> String {
    let _ = name;
    String::new()
}

fn main() {}
