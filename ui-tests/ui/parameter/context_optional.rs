// The context is always there: no `Option`.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool]
async fn greet(
    /// Whom to greet.
    cx: Option<&ToolContext>,
) -> String {
    let _ = cx;
    String::new()
}

fn main() {}
