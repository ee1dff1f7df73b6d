// Generic functions have no one schema.
use pi_tools::prelude::*;

/// Show something.
#[pi_tool]
async fn show<T: Send>(
    /// What to show.
    what: T,
) -> String {
    let _ = what;
    String::new()
}

fn main() {}
