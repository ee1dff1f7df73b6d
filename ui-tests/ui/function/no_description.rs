// A tool needs a doc comment.
use pi_tools::prelude::*;

#[pi_tool]
async fn greet() -> String {
    String::new()
}

fn main() {}
