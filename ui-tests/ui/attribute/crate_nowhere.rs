// A path where no `pi_tools` is: one error, at the path.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(crate = nowhere)]
async fn greet() -> String {
    String::new()
}

fn main() {}
