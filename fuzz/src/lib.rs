//! What is fuzzed: each function takes any bytes, and panics if what they are given to does not keep its promises.
//!
//! `fuzz_targets/` gives them to libFuzzer; `tests/fuzz.rs` of the main workspace, which includes this file, to a driver
//! of its own that needs no nightly.

use std::collections::HashSet;
use std::sync::{Arc, LazyLock};

use pi_tools::schema::{Dialect, Parameters};
use pi_tools::schemars::Schema;
use pi_tools::{Json, SessionFile, StringEnum, ToolContext, ToolError, Toolbox, pi_tool, validate_arguments};
use serde_json::{Value, json};

/// A schema and, behind the first newline, arguments.
pub fn arguments(data: &[u8]) {
    let Some(middle) = data.iter().position(|byte| *byte == b'\n') else { return };
    let (schema, arguments) = (serde_json::from_slice(&data[..middle]), serde_json::from_slice(&data[middle + 1..]));
    let (Ok(schema), Ok(arguments)) = (schema, arguments) else { return };
    let schema: Value = schema;
    if let Err(error) = validate_arguments("fuzz", &schema, &arguments) {
        assert!(!error.message().is_empty());
    }
}

/// A schema, in the form of every provider.
pub fn schema(data: &[u8]) {
    let Ok(schema) = serde_json::from_slice::<Value>(data) else { return };
    let Ok(schema) = Schema::try_from(schema) else { return };
    let Ok(parameters) = Parameters::normalise(schema) else { return };
    assert_eq!(parameters.schema()["type"], "object");
    for dialect in Dialect::ALL {
        if let Ok((schema, report)) = parameters.in_dialect(dialect) {
            assert!(schema.is_object());
            let _ = format!("{report:?}");
        }
    }
}

/// A session file: whatever is in it, it is refused as it is, or can be gone on with.
pub fn session(data: &[u8]) {
    let folder = tempfile::tempdir().expect("there are temporary files");
    let path = folder.path().join("session.jsonl");
    std::fs::write(&path, data).expect("a temporary file can be written");
    let mut count = None;
    if let Ok(mut file) = SessionFile::open(&path, ".") {
        let on_branch = file.branch().len();
        assert!(on_branch <= file.entries().len());
        let _ = file.session(&["todos"]);
        if file.append_message(json!({ "role": "user", "content": "hi" })).is_ok() {
            assert_eq!(file.branch().len(), on_branch + 1);
            count = Some(file.entries().len());
        }
    }
    let written = std::fs::read(&path).expect("the file is still there");
    assert!(written.starts_with(data), "something else than the end was changed");
    if let Some(count) = count {
        let file = SessionFile::open(&path, ".").expect("what was appended to can be read");
        assert_eq!(file.entries().len(), count);
    }
}

/// Lines from the host.
pub fn wire(data: &[u8]) {
    let mut asked = HashSet::new();
    for message in answers(data) {
        assert_eq!(message["jsonrpc"], "2.0", "{message}");
        assert!(["method", "result", "error"].iter().filter(|key| message.get(**key).is_some()).count() == 1);
        if message["method"] == "$/cancel" {
            assert!(asked.remove(&message["params"]["id"]), "only what was asked is withdrawn, and once: {message}");
        } else if message.get("method").is_some() && message.get("id").is_some() {
            assert!(asked.insert(message["id"].clone()), "an id is for one question: {message}");
        }
    }
}

/// What a bundle says to lines from the host.
pub fn answers(data: &[u8]) -> Vec<Value> {
    static TOOLBOX: LazyLock<Arc<Toolbox>> =
        LazyLock::new(|| Arc::new(Toolbox::builder().tool(Say).tool(Consult).build().expect("the tools are well")));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime starts");
    let answers = runtime.block_on(pi_tools::__private::answer_lines(Arc::clone(&TOOLBOX), data));
    assert!(answers.is_empty() || answers.ends_with(b"\n"));
    let lines = answers.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines.map(|line| serde_json::from_slice(line).expect("every line is JSON")).collect()
}

/// How to say it.
#[derive(Clone, Copy, Debug, StringEnum)]
enum Tone {
    /// As always.
    Plain,
    /// So that all hear it.
    Loud,
}

/// Say something.
#[pi_tool(handle = Say, register = false)]
async fn say(
    /// What.
    #[arg(length = ..=20)]
    words: Vec<String>,
    /// How.
    #[arg(alias = "how")]
    tone: Option<Tone>,
    /// How often.
    #[arg(range = 0..=3, default = 1)]
    times: u8,
    cx: &ToolContext,
) -> Result<Json<Vec<Vec<String>>>, ToolError> {
    cx.update(format!("{tone:?}"));
    if words.is_empty() {
        return Err(ToolError::new("words: there are none"));
    }
    Ok(Json(vec![words; times.into()]))
}

/// Ask the host for all that it has.
#[pi_tool(handle = Consult, register = false, confirm = "Consult {topic}?")]
async fn consult(
    /// On what.
    topic: String,
    cx: &ToolContext,
) -> Result<String, ToolError> {
    let ui = cx.ui().time_limit(std::time::Duration::from_secs(60));
    let chosen = ui.select("Which?", ["red", "green"]).await;
    let written = ui.input("How?", "").await;
    cx.append_entry("fuzz", &written)?;
    let called = cx.execute_tool("other", json!({ "topic": topic })).on_update(|output| cx.update(output)).await?;
    let branch = cx.branch().await?;
    cx.mutate_file("consulted", async { format!("{chosen:?} {called:?} {}", branch.len()) }).await
}
