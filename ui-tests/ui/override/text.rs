// `read` has details: a text has none.
use pi_tools::prelude::*;

/// Read a file.
#[pi_tool(overrides = "read")]
async fn read(
    /// The path.
    path: String,
    /// The first line.
    offset: Option<u64>,
    /// How many lines.
    limit: Option<u64>,
) -> String {
    let _ = (path, offset, limit);
    String::new()
}

fn main() {}
