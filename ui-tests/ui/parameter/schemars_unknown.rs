// A key that schemars does not know: schemars says so.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool]
async fn greet(
    /// Whom to greet.
    #[schemars(titel = "Name")]
    name: String,
) -> String {
    let _ = name;
    String::new()
}

fn main() {}
