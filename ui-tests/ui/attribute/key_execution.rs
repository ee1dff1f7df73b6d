// `execution` takes one of two words: both are shown.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(execution = "paralell")]
async fn greet() -> String {
    String::new()
}

fn main() {}
