//! A tool that changes a file: calls that change one file wait for each other, and nobody reads a half of it.

use std::fs;

use pi_tools::path::replace_file;
use pi_tools::prelude::*;

/// Replace a text in a note.
#[pi_tool(
    prompt_snippet = "Replace a text in a note",
    guidelines = ["Use note_edit with an oldText that the note has exactly once"],
)]
fn note_edit(
    /// The note.
    #[arg(mutates)]
    path: ToolPath,
    /// The text to replace, exactly as it stands in the note.
    #[arg(rename = "oldText", length = 1..)]
    old_text: String,
    /// The text in its place.
    #[arg(rename = "newText")]
    new_text: String,
    cx: &ToolContext,
) -> Result<String, ToolError> {
    let failed = |what: &str, error| ToolError::new(format!("{path}: cannot be {what}: {error}"));
    let file = path.resolve(cx.cwd())?;
    let note = fs::read_to_string(&file).map_err(|error| failed("read", error))?;
    match note.matches(&old_text).count() {
        1 => {}
        0 => return Err(ToolError::new(format!("{path}: nothing was changed, because {old_text:?} is not in it"))),
        times => {
            return Err(ToolError::new(format!(
                "{path}: nothing was changed, because {old_text:?} is in it {times} times: add some of what stands around it"
            )));
        }
    }
    replace_file(&file, note.replace(&old_text, &new_text)).map_err(|error| failed("written", error))?;
    Ok(format!("Updated {path}"))
}

pi_tools::main!();
pi_tools::check!();
