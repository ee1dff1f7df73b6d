//! A bundle of tools whose calls, results and entries are drawn by templates.

use pi_tools::prelude::*;
use pi_tools::{SessionEntry, builtin, schemars};
use serde_json::json;

/// A place in a file.
#[derive(Deserialize, schemars::JsonSchema)]
struct Place {
    /// The line.
    line: u32,
}

/// Search for something.
#[pi_tool(
    render_call = "search {query:accent bold} {at.line:warning} {paths:dim}",
    render_result = "{details.count:success} found {details.best.name:italic}"
)]
fn search(
    /// What.
    #[arg(alias = "q")]
    query: String,
    /// Where to begin.
    at: Option<Place>,
    /// In which files.
    paths: Option<Vec<String>>,
) -> Result<ToolOutput, ToolError> {
    if query.is_empty() {
        return Err(ToolError::new("query: must not be empty"));
    }
    let found = paths.map_or(0, |paths| paths.len());
    let line = at.map_or(1, |place| place.line);
    Ok(ToolOutput::text("see above").with_details(json!({ "count": found, "best": { "name": query, "line": line } })))
}

/// Read a log, beginning with its old lines.
#[pi_tool(truncate = "tail", render_result = "{text}", render_lines = 2)]
async fn log(
    /// How many lines there are.
    lines: u32,
    /// The file that says when there are no new ones.
    until: Option<String>,
    cx: &ToolContext,
) -> String {
    let log = (1..=lines).map(|line| format!("line {line}")).collect::<Vec<_>>().join("\n");
    cx.update(log.clone());
    while until.as_ref().is_some_and(|file| !std::path::Path::new(file).exists()) {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    log
}

/// Counted calls.
#[derive(Clone, Default, Serialize, Deserialize, SessionState)]
struct Tally(u32);

/// Count one up.
#[pi_tool(render_call = "{{count}}", render_result = "{details.tally:accent} so far\n{text:dim}", render_lines = 1)]
fn count(tally: &mut Tally) -> String {
    tally.0 += 1;
    "counted".to_owned()
}

/// A page to come back to.
#[derive(Serialize, Deserialize, SessionEntry)]
#[session_entry(type = "drawn-bookmark", render = "→ {title:accent} {url:dim}")]
struct Bookmark {
    title: String,
    #[serde(rename = "url")]
    address: Option<String>,
}

/// Keep a page.
#[pi_tool]
fn bookmark(
    /// What it is called.
    title: String,
    /// Where it is.
    url: Option<String>,
    cx: &ToolContext,
) -> Result<String, ToolError> {
    cx.append(&Bookmark { title, address: url })?;
    let titles: Vec<String> =
        cx.session().entries_of::<Bookmark>()?.into_iter().map(|bookmark| bookmark.title).collect();
    Ok(titles.join(", "))
}

/// Pretend to write, and look like Pi's own.
#[pi_tool(overrides = "write")]
fn write(
    /// Which file.
    path: String,
    /// Its text.
    content: String,
) -> ToolOutput<builtin::WriteDetails> {
    ToolOutput::text(format!("pretended to write {} bytes to {path}", content.len()))
}

pi_tools::main!();
