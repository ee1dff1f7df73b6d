// A value of the wrong kind: the message shows the right one.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(name = 1, guidelines = "Use greet", execution = "fast", register = "no", handle = "Greet", label)]
async fn greet() -> String {
    String::new()
}

fn main() {}
