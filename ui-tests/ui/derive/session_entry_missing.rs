// Data of a type that is no entry.
use pi_tools::prelude::*;

#[derive(Serialize)]
struct Bookmark(String);

/// Keep a page.
#[pi_tool]
fn bookmark(
    /// What it is called.
    title: String,
    cx: &ToolContext,
) -> Result<(), ToolError> {
    cx.append(&Bookmark(title))
}

fn main() {}
