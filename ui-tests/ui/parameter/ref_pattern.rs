// A name with `ref` is a pattern.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool]
async fn greet(
    /// Whom to greet.
    ref name: String,
) -> String {
    name.clone()
}

fn main() {}
