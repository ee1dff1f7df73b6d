// An alias that is the argument's own name.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool]
async fn greet(
    /// Whom to greet.
    #[arg(alias = "name")]
    name: String,
) -> String {
    let _ = name;
    String::new()
}

fn main() {}
