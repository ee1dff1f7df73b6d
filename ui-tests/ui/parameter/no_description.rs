// Every argument needs a doc comment.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool]
async fn greet(name: String) -> String {
    name
}

fn main() {}
