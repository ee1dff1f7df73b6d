// Two arguments of one name.
use pi_tools::prelude::*;

/// Move something.
#[pi_tool]
async fn shift(
    /// Where from.
    from: String,
    /// Where to.
    #[arg(rename = "from")]
    to: String,
) -> String {
    from + &to
}

fn main() {}
