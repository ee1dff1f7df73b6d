// A function that serde's attribute names and that is not there.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool]
async fn greet(
    /// Whom to greet.
    #[serde(default = "nobody")]
    name: String,
) -> String {
    let _ = name;
    String::new()
}

fn main() {}
