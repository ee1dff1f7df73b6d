// serde's `alias` is not known to hosts: the message shows our key.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool]
async fn greet(
    /// Whom to greet.
    #[serde(alias = "who")]
    name: String,
) -> String {
    let _ = name;
    String::new()
}

fn main() {}
