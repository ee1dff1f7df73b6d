// The same guideline twice.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(guidelines = ["Use greet once", "Use greet once"])]
async fn greet() -> String {
    String::new()
}

fn main() {}
