//! A tool with entries of its own in the session: the model never sees them, and they cost it no tokens.

use pi_tools::SessionEntry;
use pi_tools::prelude::*;

/// One bookmark, as the session keeps it.
#[derive(Serialize, Deserialize, SessionEntry)]
#[session_entry(type = "bookmark", render = "Bookmark: {label:accent}")]
struct Bookmark {
    label: String,
}

/// Set a bookmark in the session, or list those that are set.
#[pi_tool(
    prompt_snippet = "Set and list bookmarks in the session",
    guidelines = ["Use bookmark when the user wants to find this place again"],
)]
async fn bookmark(
    /// What to call the new bookmark; without it they are listed.
    #[arg(length = 1..=80)]
    label: Option<String>,
    cx: &ToolContext,
) -> Result<String, ToolError> {
    if let Some(label) = label {
        cx.append(&Bookmark { label: label.clone() })?;
        return Ok(format!("Bookmarked: {label}"));
    }
    let mut lines = vec!["Bookmarks:".to_owned()];
    for (Bookmark { label }, number) in cx.session().entries_of::<Bookmark>()?.into_iter().zip(1..) {
        lines.push(format!("{number}. {label}"));
    }
    Ok(if lines.len() == 1 { "There are no bookmarks.".to_owned() } else { lines.join("\n") })
}

pi_tools::main!();
pi_tools::check!();
