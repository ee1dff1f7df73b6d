// An argument's name has no `-`: the message points at `rename`'s text.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool]
async fn greet(
    /// Whom to greet.
    #[arg(rename = "full-name")]
    name: String,
) -> String {
    let _ = name;
    String::new()
}

fn main() {}
