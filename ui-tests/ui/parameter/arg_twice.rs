// `#[arg]` given twice.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool]
async fn greet(
    /// Whom to greet.
    #[arg(alias = "who")]
    #[arg(alias = "whom")]
    name: String,
) -> String {
    let _ = name;
    String::new()
}

fn main() {}
