//! A bundle of tools that misbehave, and a few that help the tests to see it.

use std::time::Duration;

use pi_tools::prelude::*;
use pi_tools::schemars;
use pi_tools::{Image, ToolboxBuilder};

/// Panic.
#[pi_tool]
async fn panics(
    /// What the payload says; the model must not see it.
    secret: String,
) -> String {
    panic!("{secret}")
}

/// Wait for a long time and never look at cancellation.
#[pi_tool]
async fn stubborn() -> String {
    tokio::time::sleep(Duration::from_secs(600)).await;
    "awake".to_owned()
}

/// Wait for a long time on a thread of its own and never look at cancellation.
#[pi_tool]
fn stubborn_blocking() -> String {
    std::thread::sleep(Duration::from_secs(600));
    "awake".to_owned()
}

/// Keep the thread of all calls and never look at cancellation: what an `async fn` must not do.
#[pi_tool]
async fn hog() -> String {
    std::thread::sleep(Duration::from_secs(600));
    "awake".to_owned()
}

/// Wait for a long time, but end at once when cancelled.
#[pi_tool]
async fn polite(cx: &ToolContext) -> Result<String, ToolError> {
    cx.update("waiting");
    cx.cancelled().await;
    Err(ToolError::new("stopped politely"))
}

/// End the process in the middle of the call.
#[pi_tool]
async fn crash() -> String {
    eprintln!("about to crash");
    std::process::abort()
}

/// Run a command in the shell.
#[pi_tool(truncate = "tail")]
async fn shell(
    /// The command.
    command: String,
    cx: &ToolContext,
) -> Result<String, ToolError> {
    cx.command("sh").args(["-c", &command]).stream().output().await?.into_result()
}

/// Print to standard output, by itself and by a child process.
#[pi_tool]
#[expect(clippy::print_stdout, reason = "this is what the tool is for")]
async fn chatter(
    /// What to print.
    text: String,
) -> Result<String, std::io::Error> {
    println!("{text}");
    std::process::Command::new("echo").arg(&text).status()?;
    Ok("printed".to_owned())
}

/// Say where and who.
#[pi_tool]
fn whoami(cx: &ToolContext) -> ToolOutput<serde_json::Value> {
    let details = serde_json::json!({ "pid": std::process::id(), "callId": cx.call_id(), "cwd": cx.cwd() });
    ToolOutput::text("see details").with_details(details)
}

/// Fail softly, with details.
#[pi_tool]
async fn soft_failure() -> ToolOutput<serde_json::Value> {
    ToolOutput::error("it did not work").with_details(serde_json::json!({ "code": 7 }))
}

/// Remember a text in the session, and say all of them. An empty one is remembered, and an error.
#[pi_tool]
fn remember(
    /// The text.
    what: String,
    cx: &ToolContext,
) -> Result<String, ToolError> {
    cx.append_entry("lab", &what)?;
    if what.is_empty() {
        return Err(ToolError::new("what: must not be empty"));
    }
    let entries = cx.session().entries("lab");
    let texts: Vec<&str> = entries.iter().filter_map(|entry| entry.as_str()).collect();
    Ok(format!("remembered: {}", texts.join(", ")))
}

/// Say that nothing is left to do, and what it took to find out.
#[pi_tool]
async fn conclude() -> ToolOutput<()> {
    ToolOutput::text("done").with_terminate(true).with_usage(serde_json::json!({ "input": 3, "output": 4 }))
}

/// What a chart shows.
#[derive(Serialize, schemars::JsonSchema)]
struct Chart {
    /// Its points.
    points: Vec<u32>,
    /// What it is called.
    title: Option<String>,
}

/// Draw a chart of one point.
#[pi_tool]
fn chart() -> Result<(ToolOutput<()>, Json<Chart>), ToolError> {
    let image = Image::from_bytes(include_bytes!("output/point.png"))?;
    Ok((ToolOutput::text("one point").with_image(image), Json(Chart { points: vec![1], title: None })))
}

/// How often something was counted.
#[derive(Clone, Default, Serialize, Deserialize, SessionState)]
struct Count(u32);

/// What counting does in the end.
#[derive(Clone, Copy, StringEnum)]
enum Then {
    /// Return.
    #[string_enum(alias = "return")]
    Succeed,
    /// Return an error.
    Fail,
    /// Panic.
    Panic,
    /// Wait until cancelled.
    Wait,
}

/// Count one up, and then do something else.
#[pi_tool]
async fn count(
    /// What to do then.
    then: Then,
    count: &mut Count,
    cx: &ToolContext,
) -> Result<String, ToolError> {
    count.0 += 1;
    match then {
        Then::Succeed => Ok(format!("counted to {}", count.0)),
        Then::Fail => Err(ToolError::new("failed on purpose")),
        Then::Panic => panic!("on purpose"),
        Then::Wait => {
            cx.update(ToolOutput::text("waiting").with_details(serde_json::json!({ "so far": count.0 })));
            cx.cancelled().await;
            Err(ToolError::new("stopped"))
        }
    }
}

/// Fail, with details that look like the state's.
#[pi_tool]
async fn mislead() -> ToolOutput<serde_json::Value> {
    ToolOutput::error("not a state").with_details(serde_json::json!({ "count": 99 }))
}

/// Have the name of a built-in tool of Pi without saying so.
#[pi_tool(name = "grep")]
async fn impostor() -> String {
    "not the real one".to_owned()
}

/// Stand for a built-in tool of Pi.
#[pi_tool(overrides = "write", destructive, namespace = "lab")]
async fn pretend(
    /// Which file.
    path: String,
    /// Its text.
    content: String,
) -> String {
    format!("pretended to write {} bytes to {path}", content.len())
}

/// Pretend to erase files, once the user agrees.
#[pi_tool(destructive, confirm = "Erase {paths}, {depth} deep?")]
fn erase(
    /// Which.
    paths: Vec<String>,
    /// How deep.
    #[arg(default = 1, alias = "oldDepth")]
    depth: u32,
) -> String {
    format!("erased {} files, {depth} deep", paths.len())
}

/// A place to look at.
#[derive(Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct Place {
    /// How far down.
    line: u32,
}

/// Look at a place.
#[pi_tool(read_only, namespace = "views")]
fn look(
    /// Where.
    place: Place,
    /// What to look at.
    text: Option<String>,
) -> String {
    format!("line {} of {text:?}", place.line)
}

/// Say far too much.
#[pi_tool]
async fn ramble(
    /// How many lines.
    lines: usize,
) -> String {
    (1..=lines).map(|number| format!("line {number}\n")).collect()
}

/// Show progress without a rest, each time a text of this length, and give back the last.
#[pi_tool(truncate = "none")]
fn burst(
    /// How often.
    updates: u32,
    /// How long the text is at least.
    bytes: usize,
    /// How many milliseconds to wait after each.
    #[arg(default = 0)]
    pause: u64,
    cx: &ToolContext,
) -> String {
    let filling = "x".repeat(bytes);
    let text = |number: u32| format!("{number} {filling}");
    for number in 1..=updates {
        cx.update(text(number));
        std::thread::sleep(Duration::from_millis(pause));
    }
    text(updates)
}

struct Greeting(String);

/// Greet with the application's own words, however many.
#[pi_tool(truncate = "none")]
fn greeting(
    /// Whom to greet.
    name: String,
    greeting: &Greeting,
) -> String {
    format!("{}, {name}!", greeting.0)
}

fn setup(toolbox: ToolboxBuilder) -> ToolboxBuilder {
    toolbox.provide(Greeting("Good morning".to_owned()))
}

pi_tools::main!(provide = setup);
