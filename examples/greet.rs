//! The smallest bundle: one function, one attribute.

use pi_tools::prelude::*;

/// Greet someone by name.
#[pi_tool(prompt_snippet = "Greet someone by name", guidelines = ["Use greet to greet people; do not write greetings yourself"])]
async fn greet(
    /// Whom to greet.
    name: String,
) -> String {
    format!("Hello, {name}!")
}

pi_tools::main!();
pi_tools::check!();
