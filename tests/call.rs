//! Toolboxes, and calls through them without a host.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use pi_tools::prelude::*;
use pi_tools::{CancellationToken, Host, Session};
use serde_json::{Value, json};

/// Say the same.
#[pi_tool]
async fn echo(
    /// What to say.
    text: String,
) -> String {
    text
}

/// Say where a blocking call runs.
#[pi_tool]
fn thread(cx: &ToolContext) -> String {
    cx.update("on my way");
    format!("{:?}", std::thread::current().id())
}

/// A number that grows.
#[derive(Clone, Default, Serialize, Deserialize, SessionState)]
struct Number(u32);

/// Add one, slowly.
#[pi_tool]
async fn slow_increment(number: &mut Number) -> String {
    let before = number.0;
    tokio::time::sleep(Duration::from_millis(5)).await;
    number.0 = before + 1;
    number.0.to_string()
}

/// Add one, on a thread, and perhaps panic.
#[pi_tool]
fn blocking_increment(
    /// Whether to panic.
    panic: bool,
    number: &mut Number,
) -> String {
    number.0 += 1;
    assert!(!panic, "on purpose");
    number.0.to_string()
}

/// Wait until dropped.
#[pi_tool]
async fn wait(dropped: &Dropped) -> String {
    struct Bomb(Arc<AtomicU32>);
    impl Drop for Bomb {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }
    let _bomb = Bomb(Arc::clone(&dropped.0));
    std::future::pending().await
}

#[derive(Clone, Default)]
struct Dropped(Arc<AtomicU32>);

fn toolbox() -> Toolbox {
    Toolbox::builder().linked().provide(Dropped::default()).build().unwrap()
}

mod duplicates {
    /// The first.
    #[pi_tools::pi_tool(name = "twin", handle = First, register = false)]
    fn first() {}

    /// The second.
    #[pi_tools::pi_tool(name = "twin", handle = Second, register = false)]
    fn second() {}

    #[test]
    fn both_places_are_told() {
        let error = pi_tools::Toolbox::builder().tool(First).tool(Second).build().unwrap_err().to_string();
        let places: Vec<&str> = error.split_whitespace().filter(|word| word.contains("call.rs:")).collect();
        assert!(error.contains("`twin`") && places.len() == 2 && places[0] != places[1], "{error}");
    }
}

#[test]
fn tools_are_listed_in_the_order_of_their_names() {
    let toolbox = toolbox();
    let names: Vec<&str> = toolbox.tools().map(|tool| tool.spec().name).collect();
    assert!(names.is_sorted() && names.len() >= 5, "{names:?}");
}

#[tokio::test]
async fn whatever_a_model_sends_is_answered() {
    let toolbox = toolbox();
    for arguments in
        ["", "{", "null", "[]", "3", "\"text\"", "{\"text\":}", "{\"text\":\"a\"} x", "{}", "{\"text\":null}"]
    {
        let output = toolbox.call("echo", arguments).await;
        assert!(output.is_error() && output.to_text().contains("echo"), "{arguments}: {}", output.to_text());
    }
    assert_eq!(toolbox.call("Echo", "{}").await.to_text(), "Tool Echo not found");
    let deep = format!("{{\"text\":{}{}}}", "[".repeat(10_000), "]".repeat(10_000));
    assert!(toolbox.call("echo", deep).await.is_error());
    assert_eq!(toolbox.call("echo", json!({ "text": "\u{0}\u{2028}𝄞" })).await.to_text(), "\u{0}\u{2028}𝄞");
}

#[tokio::test]
async fn a_blocking_tool_leaves_the_async_threads() {
    let here = format!("{:?}", std::thread::current().id());
    assert_ne!(toolbox().call("thread", "{}").await.to_text(), here);
}

#[test]
fn without_a_runtime_a_blocking_tool_runs_where_it_is() {
    use std::task::{Context, Poll, Waker};

    let toolbox = toolbox();
    let mut call = std::pin::pin!(toolbox.call("thread", "{}"));
    match call.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => assert_eq!(output.to_text(), format!("{:?}", std::thread::current().id())),
        Poll::Pending => panic!("nothing to wait for"),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_that_share_state_wait_for_each_other() {
    let toolbox = Arc::new(toolbox());
    let cx = ToolContext::new().with_session(Session::new());
    let calls: Vec<_> = (0..20)
        .map(|_| {
            let (toolbox, cx) = (Arc::clone(&toolbox), cx.clone());
            tokio::spawn(async move { toolbox.call_with("slow_increment", "{}", &cx).await })
        })
        .collect();
    let mut seen = Vec::new();
    for call in calls {
        seen.push(call.await.unwrap().details().unwrap()["number"].as_u64().unwrap());
    }
    seen.sort_unstable();
    assert_eq!(seen, (1..=20).collect::<Vec<_>>());
    // Another session knows nothing of it.
    assert_eq!(toolbox.call("slow_increment", "{}").await.to_text(), "1");
}

#[tokio::test]
async fn a_blocking_panic_changes_nothing() {
    let toolbox = toolbox();
    assert_eq!(toolbox.call("blocking_increment", json!({ "panic": false })).await.to_text(), "1");
    let output = toolbox.call("blocking_increment", json!({ "panic": true })).await;
    assert!(output.is_error() && !output.to_text().contains("on purpose"), "{}", output.to_text());
    assert_eq!(toolbox.call("blocking_increment", json!({ "panic": false })).await.to_text(), "2");
}

#[tokio::test]
async fn a_cancelled_call_is_dropped_after_a_grace() {
    let dropped = Dropped::default();
    let toolbox = Toolbox::builder().linked().provide(dropped.clone()).build().unwrap();
    let token = CancellationToken::new();
    let cx = ToolContext::new().with_cancellation(token.clone());
    let start = Instant::now();
    let cancel = async {
        tokio::time::sleep(Duration::from_millis(20)).await;
        token.cancel();
    };
    let (output, ()) = tokio::join!(toolbox.call_with("wait", "{}", &cx), cancel);
    assert_eq!(output.to_text(), "Operation aborted");
    assert_eq!(dropped.0.load(Ordering::SeqCst), 1);
    assert!(start.elapsed() < Duration::from_millis(1500), "{:?}", start.elapsed());
}

#[tokio::test]
async fn a_dropped_call_leaves_the_state_free() {
    let toolbox = toolbox();
    let cx = ToolContext::new();
    {
        let mut call = std::pin::pin!(toolbox.call_with("slow_increment", "{}", &cx));
        assert!(tokio::time::timeout(Duration::from_millis(1), &mut call).await.is_err());
    }
    assert_eq!(toolbox.call_with("slow_increment", "{}", &cx).await.to_text(), "1");
}

#[derive(Default)]
struct Recorder(Mutex<Vec<Value>>);

impl Host for Recorder {
    fn update(&self, call_id: &str, output: ToolOutput) {
        self.0.lock().unwrap().push(json!([call_id, output.to_text()]));
    }
}

#[tokio::test]
async fn updates_reach_the_host() {
    let host = Arc::new(Recorder::default());
    let cx = ToolContext::new().with_call_id("7").with_host(host.clone());
    toolbox().call_with("thread", "{}", &cx).await;
    assert_eq!(*host.0.lock().unwrap(), [json!(["7", "on my way"])]);
}

mod spans {
    use super::*;
    use std::fmt::Write as _;
    use tracing::field::{Field, Visit};
    use tracing::span::{Attributes, Id, Record};
    use tracing::{Event, Metadata, Subscriber};

    /// Writes down the fields of all spans.
    #[derive(Clone, Default)]
    struct Log(Arc<Mutex<String>>);

    impl Visit for Log {
        fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
            write!(self.0.lock().unwrap(), "{field}={value:?} ").unwrap();
        }
    }

    impl Subscriber for Log {
        fn enabled(&self, _: &Metadata<'_>) -> bool {
            true
        }
        fn new_span(&self, span: &Attributes<'_>) -> Id {
            span.record(&mut self.clone());
            Id::from_u64(1)
        }
        fn record(&self, _: &Id, values: &Record<'_>) {
            values.record(&mut self.clone());
        }
        fn record_follows_from(&self, _: &Id, _: &Id) {}
        fn event(&self, _: &Event<'_>) {}
        fn enter(&self, _: &Id) {}
        fn exit(&self, _: &Id) {}
    }

    #[tokio::test]
    async fn tell_the_call_but_not_its_arguments() {
        let log = Log::default();
        let _guard = tracing::subscriber::set_default(log.clone());
        let cx = ToolContext::new().with_call_id("7");
        toolbox().call_with("echo", json!({ "text": "hunter2" }), &cx).await;
        assert_eq!(log.0.lock().unwrap().trim(), "tool=\"echo\" call_id=\"7\" is_error=false");
    }
}
