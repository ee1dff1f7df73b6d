// An alias must not be the name of another argument, nor another alias.
use pi_tools::prelude::*;

/// Move something.
#[pi_tool]
async fn shift(
    /// Where from.
    #[arg(alias = "to")]
    from: String,
    /// Where to.
    #[arg(alias = ["target", "target"])]
    to: String,
) -> String {
    from + &to
}

fn main() {}
