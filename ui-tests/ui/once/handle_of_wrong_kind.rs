// A handle that cannot be read is not missed as well.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(handle = "Greet", register = false)]
async fn greet() -> String {
    String::new()
}

fn main() {}
