// A misspelled key: the closest one is named.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(prompt_snipet = "Greet someone")]
async fn greet() -> String {
    String::new()
}

fn main() {
    // The function is still there: no second error.
    let _ = greet();
}
