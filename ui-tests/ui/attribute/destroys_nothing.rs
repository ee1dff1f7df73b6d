// What changes nothing destroys nothing.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(read_only, destructive)]
async fn greet() -> String {
    String::new()
}

fn main() {}
