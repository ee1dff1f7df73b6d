// A tool has no lifetime parameter: one error.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool]
async fn greet<'a>(cx: &'a ToolContext) -> &'a str {
    cx.call_id()
}

fn main() {}
