// The details of another built-in.
use pi_tools::prelude::*;
use pi_tools::builtin::BashDetails;

/// Read a file.
#[pi_tool(overrides = "read")]
async fn read(
    /// The path.
    path: String,
    /// The first line.
    offset: Option<u64>,
    /// How many lines.
    limit: Option<u64>,
) -> ToolOutput<BashDetails> {
    let _ = (path, offset, limit);
    ToolOutput::text("")
}

fn main() {}
