// `impl Trait` decodes into no one type.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool]
async fn greet(
    /// Whom to greet.
    name: impl Into<String>,
) -> String {
    let _ = name;
    String::new()
}

fn main() {}
