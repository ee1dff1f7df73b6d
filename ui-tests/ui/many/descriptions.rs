// Every text that can be missing or blank.
use pi_tools::prelude::*;

#[pi_tool(label = "", prompt_snippet = " ", guidelines = ["", "Use this tool"])]
async fn greet(
    name: String,
    ///
    volume: u32,
) -> String {
    format!("{name}{volume}")
}

fn main() {}
