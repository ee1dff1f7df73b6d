// `_` is no name.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool]
async fn greet(
    /// Whom to greet.
    _: String,
) -> String {
    String::new()
}

fn main() {}
