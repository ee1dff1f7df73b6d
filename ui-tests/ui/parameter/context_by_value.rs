// The context is taken by reference.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool]
async fn greet(
    /// Whom to greet.
    cx: ToolContext,
) -> String {
    let _ = cx;
    String::new()
}

fn main() {}
