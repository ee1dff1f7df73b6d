// A misspelled key of `#[arg]`: the closest one is named.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool]
async fn greet(
    /// Whom to greet.
    #[arg(defualt = "Ada")]
    name: String,
) -> String {
    let _ = name;
    String::new()
}

fn main() {}
