// A name that serde's attribute makes is checked as well.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool]
async fn greet(
    /// Whom to greet.
    #[serde(rename = "full-name")]
    name: String,
) -> String {
    let _ = name;
    String::new()
}

fn main() {}
