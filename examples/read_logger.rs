//! An override of a built-in tool: it is called as Pi's own `read` is, gives back what that gives, and keeps a log.

use std::fs;
use std::path::Path;

use pi_tools::Mode;
use pi_tools::builtin::{ReadArguments, ReadDetails};
use pi_tools::prelude::*;
use pi_tools::truncate::{DEFAULT_MAX_BYTES, Limits, format_size, truncate_head};

/// One access, as the session keeps it.
#[derive(Serialize)]
struct Access<'a> {
    path: &'a ToolPath,
    characters: usize,
}

/// Read the contents of a file, and keep a log of it. Of a long file, use offset and limit.
// `read` cuts its text by itself. Pi gives an override neither the snippet nor the rules of its own tool.
#[pi_tool(
    overrides = "read",
    truncate = "none",
    prompt_snippet = "Read file contents",
    guidelines = ["Use read to examine files instead of cat or sed."],
)]
fn read(
    /// The file, relative or absolute.
    path: ToolPath,
    /// The first line, from 1.
    offset: Option<u32>,
    /// How many lines at most.
    limit: Option<u32>,
    cx: &ToolContext,
) -> Result<ToolOutput<ReadDetails>, ToolError> {
    let output = if matches!(cx.mode(), Mode::Cli | Mode::Embedded) {
        read_here(&path, offset, limit, cx.cwd())?
    } else {
        let (offset, limit) = (offset.map(f64::from), limit.map(f64::from));
        cx.block_on(cx.execute_builtin(ReadArguments { path: path.to_string(), offset, limit }))?.typed()?
    };
    if !output.is_error() {
        let characters = output.to_text().chars().count();
        cx.append_entry("read_logger", &Access { path: &path, characters })?;
        cx.ui().notify(format!("[read] {path} ({characters} characters)"), Level::Info);
    }
    Ok(output)
}

/// What Pi's `read` makes of a text file, for where there is no Pi.
fn read_here(
    path: &ToolPath,
    offset: Option<u32>,
    limit: Option<u32>,
    cwd: &Path,
) -> Result<ToolOutput<ReadDetails>, ToolError> {
    let file = fs::read(path.resolve(cwd)?).map_err(|error| ToolError::new(format!("{path}: {error}")))?;
    let text = String::from_utf8_lossy(&file);
    let lines: Vec<&str> = text.split('\n').collect();
    let (first, total) = (offset.unwrap_or(1).max(1) as usize, lines.len());
    if first > total {
        return Err(ToolError::new(format!("Offset {first} is beyond end of file ({total} lines total)")));
    }
    let end = limit.map_or(total, |limit| total.min(first - 1 + limit as usize));
    let cut = truncate_head(&lines[first - 1..end].join("\n"), Limits::default());
    if !cut.truncated {
        let more = if end < total {
            format!("\n\n[{} more lines in file. Use offset={} to continue.]", total - end, end + 1)
        } else {
            String::new()
        };
        return Ok(ToolOutput::text(cut.content + &more));
    }
    let max = format_size(DEFAULT_MAX_BYTES as u64);
    let shown = if cut.first_line_exceeds_limit {
        let size = format_size(lines[first - 1].len() as u64);
        format!(
            "[Line {first} is {size}, exceeds {max} limit. Use bash: sed -n '{first}p' {path} | head -c {DEFAULT_MAX_BYTES}]"
        )
    } else {
        let last = first as u64 + cut.output_lines - 1;
        let by_bytes =
            if cut.truncated_by.as_deref() == Some("bytes") { format!(" ({max} limit)") } else { String::new() };
        format!(
            "{}\n\n[Showing lines {first}-{last} of {total}{by_bytes}. Use offset={} to continue.]",
            cut.content,
            last + 1
        )
    };
    Ok(ToolOutput::text(shown).with_details(ReadDetails { truncation: Some(cut), ..ReadDetails::default() }))
}

pi_tools::main!();
pi_tools::check!();
