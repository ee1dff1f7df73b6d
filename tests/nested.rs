//! Tools that call others in an application that embeds them: whatever they hold, nothing hangs.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use pi_tools::prelude::*;
use pi_tools::{Host, NestedCall, Session, async_trait};
use serde_json::{Value, json};

/// A number that grows.
#[derive(Clone, Default, Serialize, Deserialize, SessionState)]
struct Number(u32);

/// Add one.
#[pi_tool]
async fn increment(number: &mut Number) -> String {
    number.0 += 1;
    number.0.to_string()
}

/// Add one, on a thread.
#[pi_tool]
fn increment_blocking(number: &mut Number) -> String {
    number.0 += 1;
    number.0.to_string()
}

/// Call another tool, and add one.
#[pi_tool]
async fn call_and_increment(
    /// Which.
    tool: String,
    number: &mut Number,
    cx: &ToolContext,
) -> Result<String, ToolError> {
    let said = cx.execute_tool(&tool, json!({})).await?.to_text();
    number.0 += 1;
    Ok(said)
}

/// Call another tool, on a thread, and add one.
#[pi_tool]
fn call_and_increment_blocking(
    /// Which.
    tool: String,
    number: &mut Number,
    cx: &ToolContext,
) -> Result<String, ToolError> {
    let said = cx.block_on(cx.execute_tool(&tool, json!({})).into_future())?.to_text();
    number.0 += 1;
    Ok(said)
}

/// Change a file.
#[pi_tool]
fn change(
    /// The file.
    #[arg(mutates, default = "a")]
    path: ToolPath,
) -> String {
    format!("changed {path}")
}

/// Change a file, and call another tool.
#[pi_tool]
async fn change_and_call(
    /// The file.
    #[arg(mutates)]
    path: ToolPath,
    cx: &ToolContext,
) -> Result<String, ToolError> {
    cx.update(format!("changing {path}"));
    Ok(cx.execute_tool("change", json!({})).await?.to_text())
}

static TOOLBOX: LazyLock<Toolbox> = LazyLock::new(|| Toolbox::collect().unwrap());

/// An application whose tools call each other.
struct Application {
    session: Session,
    /// Whether a call runs in a task of its own; it is known by its id then.
    in_a_task: bool,
}

#[async_trait]
impl Host for Application {
    async fn execute_tool(&self, call: NestedCall<'_>) -> Result<ToolOutput, ToolError> {
        let (name, arguments) = (call.name.unwrap().to_owned(), call.arguments.to_string());
        let cx = ToolContext::new().with_session(self.session.clone());
        if !self.in_a_task {
            return Ok(TOOLBOX.call_with(&name, arguments.as_str(), &cx).await);
        }
        let cx = cx.with_call_id(format!("{}/1", call.call_id));
        Ok(tokio::spawn(async move { TOOLBOX.call_with(&name, arguments.as_str(), &cx).await }).await?)
    }
}

async fn call(name: &str, arguments: Value, in_a_task: bool) -> (String, Value) {
    let application = Application { session: Session::new(), in_a_task };
    let cx = ToolContext::new().with_session(application.session.clone()).with_host(Arc::new(application));
    let cx = if in_a_task { cx.with_call_id("call") } else { cx };
    let arguments = arguments.to_string();
    let output = TOOLBOX.call_with(name, arguments.as_str(), &cx);
    let output = tokio::time::timeout(Duration::from_secs(20), output).await.expect("it does not hang");
    (output.to_text(), output.details().cloned().unwrap_or_default())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_state_that_the_caller_holds_is_an_error() {
    for in_a_task in [false, true] {
        for caller in ["call_and_increment", "call_and_increment_blocking"] {
            for nested in ["increment", "increment_blocking"] {
                let (text, details) = call(caller, json!({ "tool": nested }), in_a_task).await;
                let expected = format!(
                    "Tool \"{nested}\" failed: the session's state `number` is held by the call that made this one, and \
                     each would wait for the other: a tool must not call another with the same state"
                );
                assert_eq!((text, details), (expected, json!({ "number": 1 })), "{caller}, {in_a_task}");
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_the_caller_has_is_an_error() {
    for in_a_task in [false, true] {
        let (text, _) = call("change_and_call", json!({ "path": "./a" }), in_a_task).await;
        assert!(text.contains("is being changed by") && text.contains("wait"), "{text}");
        let (text, _) = call("change_and_call", json!({ "path": "b" }), in_a_task).await;
        assert_eq!(text, "changed a");
    }
}

/// Calls beside each other are none that make each other, however their ids look.
#[tokio::test]
async fn others_wait() {
    let session = Session::new();
    let ids = ["", "", "a", "a", "ab", "ab/", "/", "/1"];
    let calls = ids.map(|id| {
        let session = session.clone();
        tokio::spawn(async move {
            let cx = ToolContext::new().with_session(session).with_call_id(id);
            TOOLBOX.call_with("increment", "{}", &cx).await.to_text()
        })
    });
    let mut counted = Vec::new();
    for call in calls {
        counted.push(call.await.unwrap().parse::<usize>().unwrap());
    }
    counted.sort_unstable();
    assert_eq!(counted, (1..=ids.len()).collect::<Vec<_>>());
}
