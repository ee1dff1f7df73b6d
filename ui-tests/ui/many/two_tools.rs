// Two tools, each with its own mistakes.
use pi_tools::prelude::*;

#[pi_tool(label = " ")]
async fn greet() -> String {
    String::new()
}

/// Part from someone.
#[pi_tool(timeout = "soon", guidelines = ["Use it late"])]
async fn part(whom: String) -> String {
    whom
}

fn main() {}
