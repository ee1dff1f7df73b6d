// A key that serde does not know: serde says so.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool]
async fn greet(
    /// Whom to greet.
    #[serde(renam = "who")]
    name: String,
) -> String {
    let _ = name;
    String::new()
}

fn main() {}
