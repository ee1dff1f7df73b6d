// An override takes all arguments of the built-in: those that lack are named.
use pi_tools::prelude::*;
use pi_tools::builtin::ReadDetails;

/// Read a file.
#[pi_tool(overrides = "read")]
async fn read(
    /// The path.
    path: String,
) -> ToolOutput<ReadDetails> {
    ToolOutput::text(path)
}

fn main() {}
