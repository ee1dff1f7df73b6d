// A borrowed argument with an attribute is one mistake.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool]
async fn greet(
    /// Whom to greet.
    #[arg(default = "Ada")]
    name: &str,
) -> String {
    name.to_owned()
}

fn main() {}
