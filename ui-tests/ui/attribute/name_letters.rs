// A function whose name is no name for a provider: the message points at the function's name.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool]
async fn grüßen() -> String {
    String::new()
}

fn main() {}
