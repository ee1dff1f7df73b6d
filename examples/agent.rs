//! An agent of your own: the loop, the session file and the user are the application's, and `Toolbox` is the tools.
//!
//! `agent SESSION yes` or `agent SESSION no`: what the user says to every question. The model follows a script; a request
//! to a provider has its place in [`Model::answer`].
#![expect(clippy::print_stdout, reason = "it is a program for a terminal")]

use std::process::ExitCode;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use pi_tools::path::replace_file;
use pi_tools::prelude::*;
use pi_tools::schema::Dialect;
use pi_tools::serde_json::{self, Value, json};
use pi_tools::{Batch, BatchEvent, Dialog, Host, NestedCall, Session, SessionFile, ToolCall, async_trait};

/// The notes.
#[derive(Clone, Default, Serialize, Deserialize, SessionState)]
struct Notes(Vec<String>);

/// Keep a note.
#[pi_tool(prompt_snippet = "Keep a note")]
async fn keep(
    /// The note.
    text: String,
    notes: &mut Notes,
) -> String {
    notes.0.push(text);
    format!("Kept, {} in all", notes.0.len())
}

/// List the notes.
#[pi_tool(prompt_snippet = "List the notes")]
async fn list(notes: &mut Notes) -> String {
    notes.0.iter().map(|note| format!("- {note}\n")).collect()
}

/// Write the notes into a file.
#[pi_tool(
    prompt_snippet = "Write the notes into a file",
    guidelines = ["Use export only when the user wants a file"],
    confirm = "Write the notes into {path}?",
)]
async fn export(
    /// The file.
    #[arg(mutates)]
    path: ToolPath,
    cx: &ToolContext,
) -> Result<String, ToolError> {
    let notes = cx.execute_tool("list", json!({})).await?;
    replace_file(path.resolve(cx.cwd())?, notes.to_text())?;
    cx.append_entry("export", &path)?;
    Ok(format!("Wrote {path}"))
}

/// What the tools run in. It is their host, too, so it is cheap to clone.
#[derive(Clone)]
struct Agent(Arc<Shared>);

struct Shared {
    toolbox: Toolbox,
    session: Session,
    file: Mutex<SessionFile>,
    user_says_yes: bool,
}

/// What a model answers: it is done, or it calls tools.
enum Answer {
    Text(String),
    Calls(Vec<ToolCall<'static>>),
}

impl Agent {
    fn open(session: &str, user_says_yes: bool) -> Result<Self, ToolError> {
        let toolbox = Toolbox::collect()?;
        let file = SessionFile::open(session, std::env::current_dir()?)?;
        let session = file.session(&toolbox.state_keys());
        Ok(Self(Arc::new(Shared { toolbox, session, file: Mutex::new(file), user_says_yes })))
    }

    /// Asks the model, and answers what it calls, until it calls nothing any more.
    async fn run(&self, task: &str, model: &mut Model) -> Result<String, ToolError> {
        let Shared { toolbox, .. } = &*self.0;
        let system = toolbox.prompt().rule("Answer in one sentence").sections().to_string();
        let tools = toolbox.declarations(Dialect::Anthropic).map_err(ToString::to_string)?.to_value();
        self.file().append_message(json!({ "role": "user", "content": task, "timestamp": now() }))?;
        loop {
            let messages = self.messages();
            let answer = model.answer(&json!({ "system": system, "tools": tools, "messages": messages }));
            self.file().append_message(assistant(&answer))?;
            let calls = match answer {
                Answer::Text(text) => return Ok(text),
                Answer::Calls(calls) => calls,
            };
            let tell = |event: BatchEvent<'_>| match event {
                BatchEvent::Start { call } => println!("{} {}", call.name, call.arguments.as_str()),
                BatchEvent::Update { call, output } => println!("{}: {}", call.name, output.to_text()),
                BatchEvent::End { result } => println!("  {}", result.output.to_text()),
                _ => {}
            };
            let output = Batch::new().run(toolbox, &calls, &self.context(), tell).await;
            for result in output.results {
                self.file().append_result(&result.call_id, &result.tool_name, &result.output)?;
            }
        }
    }

    /// What the model has read and written so far.
    fn messages(&self) -> Vec<Value> {
        let file = self.file();
        file.branch().into_iter().filter_map(|entry| entry.get("message")).cloned().collect()
    }

    fn context(&self) -> ToolContext {
        ToolContext::new().with_host(Arc::new(self.clone())).with_session(self.0.session.clone())
    }

    fn file(&self) -> MutexGuard<'_, SessionFile> {
        self.0.file.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Host for Agent {
    async fn confirm(&self, dialog: Dialog<'_>, _: &str) -> Option<bool> {
        println!("{} {}", dialog.title, if self.0.user_says_yes { "yes" } else { "no" });
        Some(self.0.user_says_yes)
    }

    /// A tool's call of another: the same toolbox, session and user.
    async fn execute_tool(&self, call: NestedCall<'_>) -> Result<ToolOutput, ToolError> {
        let name = call.name.ok_or_else(|| ToolError::new("there are no tools but these"))?;
        let cx = self.context().with_call_id(call.call_id);
        Ok(self.0.toolbox.call_with(name, call.arguments.clone(), &cx).await)
    }

    async fn branch(&self, _: &str) -> Result<Vec<Value>, ToolError> {
        Ok(self.file().branch().into_iter().cloned().collect())
    }

    fn append_entry(&self, _: &str, custom_type: &str, data: &Value) -> Result<(), ToolError> {
        self.file().append_custom(custom_type, Some(data.clone()))?;
        Ok(())
    }
}

/// A model that follows a script.
struct Model {
    next: usize,
}

impl Model {
    /// Here a request goes to a provider, and its answer comes back.
    fn answer(&mut self, request: &Value) -> Answer {
        if self.next == 0 {
            println!("{}\n", request["system"].as_str().unwrap_or_default());
        }
        self.next += 1;
        let messages = request["messages"].as_array().map_or(&[][..], Vec::as_slice);
        let call = |index, name, arguments| ToolCall::new(format!("call-{}-{index}", messages.len()), name, arguments);
        match self.next {
            1 => Answer::Calls(vec![
                call(1, "keep", json!({ "text": "buy tea" })),
                call(2, "keep", json!({ "text": "call Ada" })),
            ]),
            2 => Answer::Calls(vec![call(1, "export", json!({ "path": "notes.md" }))]),
            _ => {
                let failed = messages.last().is_some_and(|message| message["isError"] == true);
                Answer::Text(if failed { "The notes are in no file." } else { "The notes are in notes.md." }.to_owned())
            }
        }
    }
}

/// The model's message, as Pi's sessions have it.
fn assistant(answer: &Answer) -> Value {
    let (content, stop_reason) = match answer {
        Answer::Text(text) => (json!([{ "type": "text", "text": text }]), "stop"),
        Answer::Calls(calls) => {
            let calls = calls.iter().map(|ToolCall { id, name, arguments }| {
                let arguments: Value = serde_json::from_str(arguments.as_str()).unwrap_or_else(|_| json!({}));
                json!({ "type": "toolCall", "id": id, "name": name, "arguments": arguments })
            });
            (calls.collect(), "toolUse")
        }
    };
    json!({
        "role": "assistant",
        "content": content,
        "api": "pi-virtual",
        "provider": "scripted",
        "model": "scripted",
        "usage": {
            "input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 0,
            "cost": { "input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0 },
        },
        "stopReason": stop_reason,
        "timestamp": now(),
    })
}

fn now() -> u128 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_millis()
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [session, answer @ ("yes" | "no")] = &arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] else {
        eprintln!("Usage: agent SESSION yes|no");
        return ExitCode::from(2);
    };
    let answered = match Agent::open(session, *answer == "yes") {
        Ok(agent) => agent.run("Keep two notes, and write them into notes.md.", &mut Model { next: 0 }).await,
        Err(error) => Err(error),
    };
    match answered {
        Ok(text) => println!("{text}"),
        Err(error) => {
            eprintln!("agent: {error}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

pi_tools::check!();
