//! A tool with entries of its own in the session: the model never sees them, and they cost it no tokens.

use pi_tools::prelude::*;
use pi_tools::serde_json;

/// One bookmark, as the session keeps it.
#[derive(Serialize, Deserialize)]
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
        cx.append_entry("bookmark", &Bookmark { label: label.clone() })?;
        return Ok(format!("Bookmarked: {label}"));
    }
    let mut lines = vec!["Bookmarks:".to_owned()];
    for (entry, number) in cx.session().entries("bookmark").into_iter().zip(1..) {
        let Bookmark { label } = serde_json::from_value(entry)?;
        lines.push(format!("{number}. {label}"));
    }
    Ok(if lines.len() == 1 { "There are no bookmarks.".to_owned() } else { lines.join("\n") })
}

pi_tools::main!();
pi_tools::check!();
