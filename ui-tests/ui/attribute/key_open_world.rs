// `open_world` takes true or false, behind `=`.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(open_world("https"))]
async fn greet() -> String {
    String::new()
}

fn main() {}
