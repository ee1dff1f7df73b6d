// A doc comment that says nothing is no description.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool]
async fn greet(
    ///
    name: String,
) -> String {
    name
}

fn main() {}
