// `#[arg(..)]` is for arguments from the model.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool]
async fn greet(#[arg(alias = "context")] cx: &ToolContext) -> String {
    cx.call_id().to_owned()
}

fn main() {}
