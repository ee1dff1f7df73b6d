// The function stays as it was written: its use is no second error.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(colour = "red")]
fn greet(
    /// Whom to greet.
    name: String,
) -> String {
    name
}

fn main() {
    let text: String = greet("Ada".to_owned());
    println!("{}", text.len());
}
