// A tool that Pi does not have: all that it has are named.
use pi_tools::prelude::*;
use pi_tools::builtin::ReadDetails;

/// Read a file.
#[pi_tool(overrides = "cat")]
async fn read(
    /// The path.
    path: String,
    /// The first line.
    offset: Option<u64>,
    /// How many lines.
    limit: Option<u64>,
) -> ToolOutput<ReadDetails> {
    let _ = (path, offset, limit);
    ToolOutput::text("")
}

fn main() {}
