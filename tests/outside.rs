//! A bundle of tools that ask the outside: the user, the session, other tools, the queues of files.

use std::time::Duration;

use pi_tools::prelude::*;
use serde::{Deserialize, Serialize};
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

/// Tell the user something.
#[pi_tool]
fn notice(
    /// What.
    text: String,
    cx: &ToolContext,
) {
    cx.ui().notify(text, Level::Warning);
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

/// Tell what was kept under a type.
#[pi_tool]
fn kept(
    /// The type.
    custom_type: String,
    cx: &ToolContext,
) -> String {
    Value::from(cx.session().entries(&custom_type)).to_string()
}

/// Keep something, and look for it on the branch.
#[pi_tool]
async fn keep_and_look(cx: &ToolContext) -> Result<String, ToolError> {
    cx.append_entry("outside-look", &"here")?;
    let branch = cx.branch().await?;
    let last = branch.iter().rev().find(|entry| entry["customType"] == "outside-look");
    Ok(format!("{} in {}", last.map_or(&Value::Null, |entry| &entry["data"]), branch.len()))
}

/// Go on telling and asking, also when the call is over.
#[pi_tool]
async fn nag(cx: &ToolContext) {
    let detached = cx.clone();
    tokio::spawn(async move {
        loop {
            detached.ui().notify("still here", Level::Info);
            detached.update("still here");
            let _ = detached.append_entry("outside-nag", &"still here");
            let _ = detached.ui().time_limit(Duration::from_millis(5)).confirm("Go on?", "").await;
            let _ = detached.branch().await;
        }
    });
    std::future::pending::<()>().await;
}

/// How much was counted.
#[derive(Clone, Default, Serialize, Deserialize, SessionState)]
struct Tally(u32);

/// Count one more, slowly if wanted.
#[pi_tool]
async fn tally(
    /// How many milliseconds it takes.
    takes: Option<u64>,
    tally: &mut Tally,
) -> String {
    tokio::time::sleep(Duration::from_millis(takes.unwrap_or(0))).await;
    tally.0 += 1;
    format!("counted to {}", tally.0)
}

/// Count one more, after another tool was called.
#[pi_tool]
async fn tally_after(
    /// Which.
    tool: String,
    /// With which arguments.
    arguments: Value,
    tally: &mut Tally,
    cx: &ToolContext,
) -> Result<ToolOutput, ToolError> {
    let output = cx.execute_tool(&tool, arguments).await?;
    tally.0 += 1;
    Ok(ToolOutput::text(format!("{tool} said: {}", output.to_text())))
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
    cx.update("it is my turn");
    tokio::time::sleep(Duration::from_millis(takes.unwrap_or(20))).await;
    pi_tools::path::replace_file(&path, text + &line + "\n")?;
    Ok("appended".to_owned())
}

/// Append a line to a file, on a thread that nobody can stop.
#[pi_tool]
fn append_blocking(
    /// The file.
    #[arg(mutates)]
    path: ToolPath,
    /// The line.
    line: String,
    /// How many milliseconds it takes.
    takes: u64,
    cx: &ToolContext,
) -> Result<String, ToolError> {
    let path = path.resolve(cx.cwd())?;
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    cx.update("it is my turn");
    std::thread::sleep(Duration::from_millis(takes));
    pi_tools::path::replace_file(&path, text + &line + "\n")?;
    Ok("appended".to_owned())
}

/// Call another tool while a file is one's own.
#[pi_tool]
async fn delegate_with(
    /// The file.
    #[arg(mutates)]
    file: ToolPath,
    /// Which tool.
    tool: String,
    /// With which arguments.
    arguments: Value,
    cx: &ToolContext,
) -> Result<String, ToolError> {
    let file = file.resolve(cx.cwd())?;
    let output = cx.execute_tool(&tool, arguments).await?;
    Ok(format!("with {}, {tool} said: {}", file.file_name().unwrap_or_default().display(), output.to_text()))
}

/// Swap two files.
#[pi_tool]
fn swap(
    /// One.
    #[arg(mutates)]
    one: ToolPath,
    /// The other.
    #[arg(mutates)]
    other: ToolPath,
    cx: &ToolContext,
) -> Result<String, ToolError> {
    let (one, other) = (one.resolve(cx.cwd())?, other.resolve(cx.cwd())?);
    let (first, second) = (std::fs::read_to_string(&one)?, std::fs::read_to_string(&other)?);
    pi_tools::path::replace_file(&one, second)?;
    pi_tools::path::replace_file(&other, first)?;
    Ok("swapped".to_owned())
}

pi_tools::main!();
