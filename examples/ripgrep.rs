//! A tool that runs a program, which ends with the call, and reads what it prints: text for the model, data for scripts.

use std::fmt::Write as _;
use std::path::Path;

use pi_tools::prelude::*;
use pi_tools::schemars::{self, JsonSchema};
use pi_tools::serde_json::{self, Value};
use pi_tools::truncate::{GREP_MAX_LINE_LENGTH, truncate_line};

/// What the model gets of a search.
#[derive(Serialize, JsonSchema)]
struct Found {
    /// The first matches.
    matches: Vec<Match>,
    /// How many there are in all.
    total: usize,
}

/// A line that matches.
#[derive(Serialize, JsonSchema)]
struct Match {
    /// Its file.
    path: String,
    /// Its number, from 1.
    line: u64,
    /// The line itself.
    text: String,
}

/// Search the contents of files with ripgrep.
#[pi_tool(read_only, prompt_snippet = "Search the contents of files with ripgrep")]
async fn ripgrep(
    /// A regular expression.
    pattern: String,
    /// The folder or file to search.
    #[arg(default = ".")]
    path: ToolPath,
    /// How many matches at most.
    #[arg(default = 50, range = 1..=500)]
    limit: usize,
    cx: &ToolContext,
) -> Result<(String, Json<Found>), ToolError> {
    let searched = path.resolve(cx.cwd())?;
    // In the order of paths, so that the same search finds the same. Behind `-e` and `--` nothing is an option.
    let rg = cx.command("rg").args(["--json", "--sort=path", "-e", &pattern, "--"]).arg(searched);
    let output = rg.max_bytes(16 << 20).output().await?;
    // 1 is "no match".
    if !matches!(output.code(), 0 | 1) {
        return Err(output.stderr().trim().into());
    }
    if output.is_truncated() {
        return Err(ToolError::new(format!("{path}: there is too much that matches {pattern:?}; search for less")));
    }
    let mut found = Found { matches: Vec::new(), total: 0 };
    for line in output.stdout().lines() {
        let event: Value = serde_json::from_str(line)?;
        if event["type"] == "match" {
            found.total += 1;
            if found.matches.len() < limit {
                found.matches.push(Match::new(&event["data"], cx.cwd()));
            }
        }
    }
    Ok((found.to_text(), Json(found)))
}

impl Match {
    /// Paths and lines that are no UTF-8 come as something else than `text`.
    fn new(data: &Value, cwd: &Path) -> Self {
        let text = |value: &Value| value["text"].as_str().unwrap_or("(no UTF-8)").to_owned();
        let (path, line) = (text(&data["path"]), text(&data["lines"]));
        let path = Path::new(&path);
        Self {
            path: path.strip_prefix(cwd).unwrap_or(path).display().to_string(),
            line: data["line_number"].as_u64().unwrap_or_default(),
            text: truncate_line(line.trim_end(), GREP_MAX_LINE_LENGTH).into_owned(),
        }
    }
}

impl Found {
    fn to_text(&self) -> String {
        if self.matches.is_empty() {
            return "No matches found".to_owned();
        }
        let shown = self.matches.iter().map(|Match { path, line, text }| format!("{path}:{line}: {text}"));
        let mut text = shown.collect::<Vec<_>>().join("\n");
        let (shown, total) = (self.matches.len(), self.total);
        if shown < total {
            let _ = write!(text, "\n\n[{shown} of {total} matches. Use a larger limit, or search for less.]");
        }
        text
    }
}

pi_tools::main!();
pi_tools::check!();
