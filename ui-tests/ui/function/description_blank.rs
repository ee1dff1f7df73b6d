// A doc comment that says nothing is no description.
use pi_tools::prelude::*;

///
#[pi_tool]
async fn greet() -> String {
    String::new()
}

fn main() {}
