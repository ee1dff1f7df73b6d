// `truncate` takes one of three words: all are shown.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(truncate = "middle")]
async fn greet() -> String {
    String::new()
}

fn main() {}
