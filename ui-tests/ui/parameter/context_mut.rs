// The context is taken by `&`, not by `&mut`.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool]
async fn greet(cx: &mut ToolContext) -> String {
    cx.call_id().to_owned()
}

fn main() {}
