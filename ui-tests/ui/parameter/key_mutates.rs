// `mutates` takes true or false.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool]
async fn greet(
    /// Whom to greet.
    #[arg(mutates = 1)]
    name: String,
) -> String {
    let _ = name;
    String::new()
}

fn main() {}
