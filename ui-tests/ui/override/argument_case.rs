// The arguments have the built-in's names, in its case.
use pi_tools::prelude::*;
use pi_tools::builtin::GrepDetails;

/// Search files.
#[pi_tool(overrides = "grep")]
async fn grep(
    /// What to find.
    pattern: String,
    /// Where.
    path: Option<String>,
    /// Which files.
    glob: Option<String>,
    /// Whether case matters not.
    ignore_case: Option<bool>,
    /// Whether the pattern is a text.
    literal: Option<bool>,
    /// Lines around a match.
    context: Option<u64>,
    /// How many matches.
    limit: Option<u64>,
) -> ToolOutput<GrepDetails> {
    let _ = (pattern, path, glob, ignore_case, literal, context, limit);
    ToolOutput::text("")
}

fn main() {}
