//! Batches: what Pi's scenarios do not cover.

mod batch {
    mod cancelled;
    mod hooked;
    mod storm;
}

use std::sync::{Arc, Mutex};
use std::time::Duration;

use pi_tools::prelude::*;
use pi_tools::{Batch, BatchEvent, BatchOutput, Execution, Host, IntoToolOutput, Session, ToolCall};
use serde_json::{Value, json};

/// Wait, and say so.
#[pi_tool(handle = Wait, register = false)]
async fn wait(
    /// How long, in milliseconds.
    ms: u64,
) -> String {
    tokio::time::sleep(Duration::from_millis(ms)).await;
    format!("waited {ms} ms")
}

/// Wait, with nobody beside.
#[pi_tool(execution = "sequential", handle = WaitAlone, register = false)]
async fn wait_alone(
    /// How long, in milliseconds.
    ms: u64,
) -> String {
    wait(ms).await
}

/// What was added so far.
#[derive(Clone, Default, Serialize, Deserialize, SessionState)]
struct Sum(u64);

/// Add to the sum.
#[pi_tool(handle = Add, register = false)]
async fn add(
    /// How much.
    number: u64,
    sum: &mut Sum,
) -> Result<String, String> {
    tokio::time::sleep(Duration::from_millis(5_u64.saturating_sub(number))).await;
    sum.0 += number;
    if number == 0 { Err("nothing to add".to_owned()) } else { Ok(sum.0.to_string()) }
}

/// Show progress from a thread, and once more when it is over.
#[pi_tool(handle = Progress, register = false)]
fn progress(cx: &ToolContext) -> String {
    for step in 1..=3 {
        cx.update(step.to_string());
    }
    let late = cx.clone();
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(20));
        late.update("late");
    });
    "done".to_owned()
}

fn toolbox() -> Toolbox {
    Toolbox::builder().tool(Wait).tool(WaitAlone).tool(Add).tool(Progress).build().unwrap()
}

/// Runs these calls, which are named by their places; with what was told, a line each.
async fn run(
    batch: &Batch,
    toolbox: &Toolbox,
    calls: &[(&str, Value)],
    cx: &ToolContext,
) -> (BatchOutput, Vec<String>) {
    let calls: Vec<ToolCall<'_>> = calls
        .iter()
        .enumerate()
        .map(|(place, (name, arguments))| ToolCall::new(place.to_string(), *name, arguments.clone()))
        .collect();
    let mut told = Vec::new();
    let output = batch
        .run(toolbox, &calls, cx, |event| {
            told.push(match event {
                BatchEvent::Start { call } => format!("{} start", call.id),
                BatchEvent::Update { call, output } => format!("{} update {}", call.id, output.to_text()),
                BatchEvent::End { result } => format!("{} end", result.call_id),
                BatchEvent::Message { result } => format!("{} message", result.call_id),
                unknown => panic!("{unknown:?}"),
            });
        })
        .await;
    (output, told)
}

fn texts(output: &BatchOutput) -> Vec<String> {
    output.results.iter().map(|result| result.output.to_text()).collect()
}

const ONE_AFTER_ANOTHER: [&str; 6] = ["0 start", "0 end", "0 message", "1 start", "1 end", "1 message"];

#[tokio::test]
async fn one_tool_that_is_sequential_makes_all_of_them_sequential() {
    let calls = [("wait", json!({ "ms": 20 })), ("wait_alone", json!({ "ms": 1 }))];
    let (_, told) = run(&Batch::new(), &toolbox(), &calls, &ToolContext::new()).await;
    assert_eq!(told, ONE_AFTER_ANOTHER);
    let calls = [("wait", json!({ "ms": 20 })), ("wait", json!({ "ms": 1 }))];
    let (_, told) = run(&Batch::new(), &toolbox(), &calls, &ToolContext::new()).await;
    assert_eq!(told, ["0 start", "1 start", "1 end", "0 end", "0 message", "1 message"]);
    let batch = Batch::new().execution(Execution::Sequential);
    let (_, told) = run(&batch, &toolbox(), &calls, &ToolContext::new()).await;
    assert_eq!(told, ONE_AFTER_ANOTHER);
}

#[tokio::test]
async fn what_is_stored_of_a_batch_restores_the_state_that_it_left() {
    let calls = [("add", json!({ "number": 1 })), ("add", json!({ "number": 4 })), ("add", json!({ "number": 0 }))];
    let cx = ToolContext::new();
    let (output, _) = run(&Batch::new(), &toolbox(), &calls, &cx).await;
    assert_eq!(texts(&output), ["1", "5", "nothing to add"]);
    let messages: Vec<Value> = output.results.iter().map(pi_tools::ToolResult::to_message).collect();
    assert_eq!(messages[2]["details"], json!({}));
    let branch: Vec<Value> = messages.into_iter().map(|message| json!({ "message": message })).collect();
    let states = Session::restore(&branch, &["sum"]);
    assert_eq!(states["sum"], 5);
    let (output, _) = run(&Batch::new(), &toolbox(), &[("add", json!({ "number": 1 }))], &cx).await;
    assert_eq!(texts(&output), ["6"]);
}

#[tokio::test]
async fn a_batch_takes_what_a_call_takes() {
    let toolbox = toolbox();
    for arguments in ["", "{", "null", "[5]", "{}", r#"{"ms":"5"}"#, r#"{"ms":null}"#, r#"{"ms":1,"more":2}"#, "{} x"] {
        let called = toolbox.call("wait", arguments).await;
        let [result] = &toolbox.run_batch(&[ToolCall::new("1", "wait", arguments)]).await.results[..] else { panic!() };
        assert_eq!(result.output.to_text(), called.to_text(), "{arguments}");
        // Who could not run took no time.
        assert_eq!(result.duration.is_some(), !called.is_error(), "{arguments}");
    }
}

#[derive(Default)]
struct Recorder(Mutex<Vec<String>>);

impl Host for Recorder {
    fn update(&self, call_id: &str, output: ToolOutput) {
        self.0.lock().unwrap().push(format!("{call_id} update {}", output.to_text()));
    }
}

#[tokio::test]
async fn updates_are_told_until_their_call_ends() {
    let host = Arc::new(Recorder::default());
    let cx = ToolContext::new().with_host(host.clone());
    let calls = [("progress", json!({})), ("wait", json!({ "ms": 60 }))];
    let (_, told) = run(&Batch::new(), &toolbox(), &calls, &cx).await;
    let updates = ["0 update 1", "0 update 2", "0 update 3"];
    assert_eq!(told, [&["0 start", "1 start"], &updates[..], &["0 end", "1 end", "0 message", "1 message"]].concat());
    assert_eq!(*host.0.lock().unwrap(), updates);
}

#[test]
fn without_a_runtime_calls_run_where_they_are() {
    use std::task::{Context, Poll, Waker};

    let toolbox = toolbox();
    let calls = [ToolCall::new("1", "progress", "{}"), ToolCall::new("2", "lost", "{}")];
    let mut running = std::pin::pin!(toolbox.run_batch(&calls));
    match running.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => assert_eq!(texts(&output), ["done", "Tool lost not found"]),
        Poll::Pending => panic!("nothing to wait for"),
    }
}

#[tokio::test]
async fn an_empty_message_is_answered() {
    let output = toolbox().run_batch(&[]).await;
    assert!(output.results.is_empty() && !output.terminate);
}

#[test]
fn an_output_carries_what_only_the_host_reads() {
    let usage = json!({ "input": 1, "output": 2 });
    let output = ToolOutput::text("x").with_details(3).with_terminate(true).with_usage(usage.clone());
    let output = output.into_tool_output().unwrap();
    let expected = json!({
        "content": [{ "type": "text", "text": "x" }], "details": 3, "terminate": true, "usage": usage,
    });
    assert_eq!(serde_json::to_value(&output).unwrap(), expected);
    assert_eq!(serde_json::from_value::<ToolOutput>(expected).unwrap(), output);
}
