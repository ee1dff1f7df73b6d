// A guideline names the tool; none is empty.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(guidelines = ["Use this tool for greetings", " ", "Use greeter for greetings"])]
async fn greet() -> String {
    String::new()
}

fn main() {}
