// `exposure` takes one of five words: all are shown.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(exposure = "model_only")]
async fn greet() -> String {
    String::new()
}

fn main() {}
