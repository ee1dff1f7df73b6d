// `write` has no details.
use pi_tools::prelude::*;
use pi_tools::builtin::EditDetails;

/// Write a file.
#[pi_tool(overrides = "write")]
async fn write(
    /// The path.
    path: String,
    /// The text.
    content: String,
) -> ToolOutput<EditDetails> {
    ToolOutput::text(path + &content)
}

fn main() {}
