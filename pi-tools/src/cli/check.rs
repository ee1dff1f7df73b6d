//! The command `check`: tools against dialects, as a table or as JSON.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use super::{Bundle, FAILED, USAGE, dialect, fail, print};
use crate::check::{self, DialectFindings, Findings};
use crate::schema::Dialect;
use crate::toolbox::Toolbox;

#[derive(Args)]
pub(super) struct Check {
    /// Only for this dialect; may be given several times
    #[arg(long = "for", value_name = "DIALECT", value_parser = dialect())]
    dialects: Vec<Dialect>,
    /// How to print it
    #[arg(long, default_value = "table")]
    format: Format,
    /// An earlier output of `manifest`: what sessions with those tools may hold and these refuse is an error, too
    #[arg(long, value_name = "MANIFEST")]
    against: Option<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    Table,
    Json,
}

/// Prints what was found out; fails when something must be mended.
pub(super) fn check(bundle: Bundle, toolbox: &Toolbox, Check { dialects, format, against }: &Check) -> ExitCode {
    let breaks = match against.as_deref().map(|path| breaks(toolbox, path)).transpose() {
        Ok(breaks) => breaks.unwrap_or_default(),
        Err(error) => return fail(bundle, USAGE, error),
    };
    let mut dialects = dialects.clone();
    dialects.dedup();
    let findings = Findings::new(toolbox.tools(), if dialects.is_empty() { &Dialect::ALL } else { &dialects });
    let problems = findings.problems();
    let text = match format {
        Format::Table => format!("{}{}{}", table(&findings), findings.details(), verdict(&problems, &breaks)),
        Format::Json => format!(
            "{:#}\n",
            json!({ "tools": findings.tools, "notices": findings.notices, "problems": problems, "breaks": breaks })
        ),
    };
    let printed = print(&text);
    if problems.is_empty() && breaks.is_empty() { printed } else { ExitCode::from(FAILED) }
}

fn breaks(toolbox: &Toolbox, path: &Path) -> Result<Vec<String>, String> {
    let read = || {
        let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
        let manifest: Value = serde_json::from_str(&text).map_err(|error| format!("not JSON: {error}"))?;
        if manifest["tools"].is_array() { Ok(manifest) } else { Err("it is no manifest: it has no `tools`".to_owned()) }
    };
    let manifest = read().map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(check::breaks(|name| toolbox.get(name), &manifest))
}

/// A row for each tool: the size of its first dialect, and how each dialect takes it.
fn table(findings: &Findings) -> String {
    let dialects = findings.tools.iter().find(|tool| !tool.dialects.is_empty());
    let names = dialects.into_iter().flat_map(|tool| &tool.dialects).map(|dialect| dialect.dialect.to_owned());
    let head = ["tool", "bytes", "tokens"].map(str::to_owned).into_iter().chain(names);
    let mut rows = vec![head.collect::<Vec<String>>()];
    for tool in &findings.tools {
        let size = tool.dialects.iter().find(|dialect| dialect.bytes > 0);
        let [bytes, tokens] =
            size.map_or(["-".to_owned(), "-".to_owned()], |size| [size.bytes.to_string(), format!("~{}", size.tokens)]);
        rows.push([tool.name.to_owned(), bytes, tokens].into_iter().chain(tool.dialects.iter().map(state)).collect());
    }
    let columns = rows[0].len();
    let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(String::len).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, width))| match column {
            1 | 2 => format!("{cell:>width$}"),
            _ => format!("{cell:width$}"),
        });
        format!("{}\n", cells.collect::<Vec<_>>().join("  ").trim_end())
    };
    rows.iter().map(line).collect()
}

fn state(findings: &DialectFindings) -> String {
    if !findings.problems.is_empty() {
        "refused".to_owned()
    } else if findings.not_strict.is_some() {
        "not strict".to_owned()
    } else if findings.losses.is_empty() {
        "ok".to_owned()
    } else {
        format!("{} differ", findings.losses.len())
    }
}

fn verdict(problems: &[String], breaks: &[String]) -> String {
    if problems.is_empty() && breaks.is_empty() {
        return String::new();
    }
    let broken = breaks.iter().map(|problem| format!("breaks earlier sessions: {problem}"));
    let lines: Vec<String> = problems.iter().cloned().chain(broken).collect();
    format!("\n{} to mend:\n{}\n", lines.len(), lines.join("\n"))
}
