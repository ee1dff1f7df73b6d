// A parameter that is not always there does not stand for the built-in's: the message names it.
use pi_tools::builtin::ReadDetails;
use pi_tools::prelude::*;

/// Read a file.
#[pi_tool(overrides = "read")]
async fn read(
    /// The path.
    path: String,
    /// The first line.
    offset: Option<u32>,
    /// How many lines.
    #[cfg(any())]
    limit: Option<u32>,
) -> ToolOutput<ReadDetails> {
    let _ = offset;
    ToolOutput::text(path)
}

fn main() {}
