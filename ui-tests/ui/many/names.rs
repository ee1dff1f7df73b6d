// Every name that can be wrong.
use pi_tools::prelude::*;

/// Move something.
#[pi_tool(name = "2 shift")]
async fn shift(
    /// Where from.
    #[arg(rename = "from-path", alias = "")]
    from: String,
    /// Where to.
    #[arg(rename = "1st", alias = ["old", "old"])]
    to: String,
    /// How.
    #[serde(rename = "how?")]
    how: String,
) -> String {
    from + &to + &how
}

fn main() {}
