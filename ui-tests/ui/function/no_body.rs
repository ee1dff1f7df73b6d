// A tool needs a body.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool]
async fn greet() -> String;

fn main() {}
