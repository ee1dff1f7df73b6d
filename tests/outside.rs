//! A bundle of tools that ask the outside: the user, the session, other tools, the queues of files.

use std::time::Duration;

use pi_tools::prelude::*;
use serde_json::{Value, json};

/// Ask the user.
#[pi_tool]
async fn ask(
    /// In which way: confirm, select, input or editor.
    kind: String,
    /// How long, in milliseconds.
    limit: Option<u64>,
    cx: &ToolContext,
) -> ToolOutput {
    let mut ui = cx.ui();
    if let Some(limit) = limit {
        ui = ui.time_limit(Duration::from_millis(limit));
    }
    let answer = match kind.as_str() {
        "confirm" => json!(ui.confirm("Go on?", "There are 12 files.").await),
        "select" => json!(ui.select("Which colour?", ["red", "green"]).await),
        "input" => json!(ui.input("Your name?", "Ada").await),
        _ => json!(ui.editor("The message", "Dear Ada,\n").await),
    };
    ToolOutput::text(answer.to_string()).with_details(json!({ "available": ui.available(), "mode": cx.mode() }))
}

/// Ask the user, from a thread.
#[pi_tool]
fn ask_blocking(cx: &ToolContext) -> String {
    format!("{:?}", cx.block_on(cx.ui().confirm("Go on?", "")))
}

/// Do something that has to be allowed.
#[pi_tool(confirm = "Remove {path}?", destructive)]
fn remove(
    /// What to remove.
    path: String,
) -> String {
    format!("removed {path}")
}

/// Say in the footer what is going on.
#[pi_tool]
async fn status(
    /// What is going on; nothing any more without it.
    text: Option<String>,
    cx: &ToolContext,
) {
    match text {
        Some(text) => cx.ui().set_status("outside", text),
        None => cx.ui().clear_status("outside"),
    }
}

/// Tell what is known of the session and the model.
#[pi_tool]
async fn surroundings(cx: &ToolContext) -> Result<ToolOutput, ToolError> {
    let info = cx.session().info();
    let branch = cx.branch().await?;
    Ok(ToolOutput::text("surroundings").with_details(json!({
        "cwd": cx.cwd(),
        "mode": cx.mode(),
        "model": cx.model(),
        "id": info.id,
        "file": info.file,
        "name": info.name,
        "branch": branch,
    })))
}

/// Keep something in the session, and tell all that was kept.
#[pi_tool]
async fn keep(
    /// What.
    what: String,
    cx: &ToolContext,
) -> Result<String, ToolError> {
    cx.append_entry("outside", &json!({ "what": what }))?;
    let kept = cx.session().entries("outside");
    Ok(kept.iter().map(|entry| entry["what"].as_str().unwrap_or_default()).collect::<Vec<_>>().join(", "))
}

/// Call another tool.
#[pi_tool]
async fn delegate(
    /// Which.
    tool: String,
    /// With which arguments.
    arguments: Value,
    /// After how many milliseconds to give up.
    give_up: Option<u64>,
    cx: &ToolContext,
) -> Result<ToolOutput, ToolError> {
    let call = cx.execute_tool(&tool, arguments).on_update(|output| cx.update(format!("{tool}: {}", output.to_text())));
    let output = match give_up {
        None => call.await?,
        Some(limit) => match tokio::time::timeout(Duration::from_millis(limit), call.into_future()).await {
            Ok(output) => output?,
            Err(_) => return Ok(ToolOutput::text("gave up")),
        },
    };
    Ok(ToolOutput::text(format!("{tool} said: {}", output.to_text())).with_details(json!({ "output": output })))
}

/// Append a line to a file, slowly.
#[pi_tool]
async fn append(
    /// The file.
    #[arg(mutates)]
    path: ToolPath,
    /// The line.
    line: String,
    /// How many milliseconds it takes.
    takes: Option<u64>,
    cx: &ToolContext,
) -> Result<String, ToolError> {
    let path = path.resolve(cx.cwd())?;
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    tokio::time::sleep(Duration::from_millis(takes.unwrap_or(20))).await;
    pi_tools::path::replace_file(&path, text + &line + "\n")?;
    Ok("appended".to_owned())
}

pi_tools::main!();
