// An override has the name of what it overrides.
use pi_tools::prelude::*;
use pi_tools::builtin::ReadDetails;

/// Read a file.
#[pi_tool(overrides = "read", name = "open")]
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
