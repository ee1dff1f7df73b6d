// References within an argument: the owned type is named.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool]
async fn greet(
    /// Whom to greet.
    name: Vec<&str>,
) -> String {
    let _ = name;
    String::new()
}

fn main() {}
