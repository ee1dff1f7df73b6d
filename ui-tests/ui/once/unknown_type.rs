// A type that is not there, as an argument.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool]
async fn greet(
    /// Whom to greet.
    name: Strin,
) -> String {
    name.to_string()
}

fn main() {}
