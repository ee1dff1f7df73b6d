// A `Result` of a text has no details either.
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
) -> Result<String, ToolError> {
    let _ = (path, offset, limit);
    Ok(String::new())
}

fn main() {}
