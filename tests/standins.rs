//! A bundle of tools that stand for Pi's own.

use pi_tools::builtin::{
    BashArguments, BashDetails, Edit, EditArguments, EditDetails, FindArguments, FindDetails, GrepArguments,
    GrepDetails, ReadArguments, ReadDetails, WriteArguments, prepare_edit,
};
use pi_tools::prelude::*;

/// Read a file, and say so.
#[pi_tool(overrides = "read")]
async fn read(
    /// The file.
    path: String,
    /// The first line, from 1.
    offset: Option<f64>,
    /// How many lines at most.
    limit: Option<f64>,
    cx: &ToolContext,
) -> Result<ToolOutput<ReadDetails>, ToolError> {
    cx.ui().notify(format!("reading {path}"), Level::Info);
    cx.execute_builtin(ReadArguments { path, offset, limit }).await?.typed()
}

/// Run a command, unless it removes something.
#[pi_tool(overrides = "bash")]
async fn bash(
    /// The command.
    command: String,
    /// How many seconds it may take.
    timeout: Option<f64>,
    cx: &ToolContext,
) -> Result<ToolOutput<BashDetails>, ToolError> {
    if command.split_whitespace().any(|word| word == "rm") {
        return Err(ToolError::new("command: nothing is removed here"));
    }
    let call = cx.execute_builtin(BashArguments { command, timeout });
    call.on_update(|output| cx.update(output)).await?.typed()
}

/// Change a file.
#[pi_tool(overrides = "edit", prepare = prepare_edit)]
async fn edit(
    /// The file.
    path: String,
    /// The replacements.
    edits: Vec<Edit>,
    cx: &ToolContext,
) -> Result<ToolOutput<EditDetails>, ToolError> {
    cx.execute_builtin(EditArguments { path, edits }).await?.typed()
}

/// Write a file, some of them while this call holds them.
#[pi_tool(overrides = "write")]
async fn write(
    /// The file.
    path: String,
    /// Its text.
    content: String,
    cx: &ToolContext,
) -> Result<ToolOutput<()>, ToolError> {
    let is_held = content == "held";
    let held = path.clone();
    let original = cx.execute_builtin(WriteArguments { path, content }).into_future();
    if is_held { cx.mutate_file(held, original).await??.typed() } else { original.await?.typed() }
}

/// Find a line that says so, unless there is a limit.
#[pi_tool(overrides = "grep")]
async fn grep(
    /// What is searched for.
    pattern: String,
    /// The folder or file.
    path: Option<String>,
    /// Which files.
    glob: Option<String>,
    /// Whether case does not matter.
    #[arg(rename = "ignoreCase")]
    ignore_case: Option<bool>,
    /// Whether the pattern is a text.
    literal: Option<bool>,
    /// How many lines around a match are shown.
    context: Option<f64>,
    /// How many matches at most.
    limit: Option<f64>,
    cx: &ToolContext,
) -> Result<ToolOutput<GrepDetails>, ToolError> {
    if limit.is_none() {
        return Ok(ToolOutput::text(format!("a.txt:1: {pattern}")));
    }
    cx.execute_builtin(GrepArguments { pattern, path, glob, ignore_case, literal, context, limit }).await?.typed()
}

/// Find as many files as one likes, unless the pattern is no number.
#[pi_tool(overrides = "find")]
async fn find(
    /// Which files, or how many.
    pattern: String,
    /// The folder.
    path: Option<String>,
    /// How many results at most.
    limit: Option<f64>,
    cx: &ToolContext,
) -> Result<ToolOutput<FindDetails>, ToolError> {
    let Ok(count) = pattern.parse::<usize>() else {
        return cx.execute_builtin(FindArguments { pattern, path, limit }).await?.typed();
    };
    let text: String = (1..=count).map(|number| format!("file {number}\n")).collect();
    Ok(ToolOutput::text(text).with_details(FindDetails { result_limit_reached: Some(9), ..FindDetails::default() }))
}

/// Say as many lines as one likes, unless the command is no number.
#[pi_tool(overrides = "powershell", truncate = "tail", max_lines = 3)]
async fn powershell(
    /// The command, or how many lines.
    command: String,
    /// How many seconds it may take.
    timeout: Option<f64>,
    cx: &ToolContext,
) -> Result<ToolOutput<BashDetails>, ToolError> {
    let Ok(count) = command.parse::<usize>() else {
        return cx.execute_builtin(BashArguments { command, timeout }).await?.typed();
    };
    Ok(ToolOutput::text((1..=count).map(|number| format!("line {number}\n")).collect::<String>()))
}

/// Have the name of a built-in tool, without standing for it.
#[pi_tool]
fn ls() -> String {
    "not the real one".to_owned()
}

/// Have the name of another extension's tool.
#[pi_tool]
fn relay() -> String {
    "not the other one".to_owned()
}

/// Call a built-in, and stand for none.
#[pi_tool]
async fn pretender(cx: &ToolContext) -> Result<ToolOutput, ToolError> {
    cx.execute_builtin(ReadArguments { path: "a.txt".into(), ..ReadArguments::default() }).await
}

pi_tools::main!();
