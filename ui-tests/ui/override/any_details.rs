// Details of any form are not those of the built-in.
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
) -> ToolOutput {
    let _ = (path, offset, limit);
    ToolOutput::text("")
}

fn main() {}
