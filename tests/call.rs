//! Toolboxes, and calls through them without a host.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
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

/// Panics when it is dropped.
struct Fragile;

impl Drop for Fragile {
    fn drop(&mut self) {
        panic!("dropped");
    }
}

/// Leave something fragile behind.
#[pi_tool]
async fn leave(
    /// Whether as the payload of a panic.
    as_payload: bool,
) -> String {
    let fragile = Fragile;
    if as_payload {
        std::panic::panic_any(fragile);
    }
    std::future::pending().await
}

/// Run a future to its end.
#[pi_tool]
fn block() -> std::io::Result<String> {
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    Ok(runtime.block_on(async { "blocked".to_owned() }))
}

/// Take too long.
#[pi_tool(timeout = "20ms")]
async fn slow() -> String {
    std::future::pending().await
}

/// Count, and fail softly.
#[pi_tool]
async fn fail_softly(number: &mut Number) -> ToolOutput<&'static str> {
    number.0 += 1;
    ToolOutput::error("failed").with_details("of its own")
}

/// Count, with details that are no object.
#[pi_tool]
async fn plain_details(number: &mut Number) -> ToolOutput<&'static str> {
    number.0 += 1;
    ToolOutput::text("counted").with_details("of its own")
}

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

mod one_key_twice {
    use super::Number;

    /// Not a number, but with its key.
    #[derive(Clone, Default, serde::Serialize, serde::Deserialize, pi_tools::SessionState)]
    #[session_state(key = "number")]
    struct Other(String);

    /// Lose one of them.
    #[pi_tools::pi_tool(handle = Lose, register = false)]
    async fn lose(number: &mut Number, other: &mut Other) {
        number.0 += 1;
        other.0.push('x');
    }

    #[test]
    fn is_found_out_at_once() {
        let error = pi_tools::Toolbox::builder().tool(Lose).build().unwrap_err().to_string();
        assert!(error.contains("`lose`") && error.contains("`number`") && error.contains("call.rs:"), "{error}");
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
        ["", "{", "null", "[]", "3", "\"text\"", "{\"text\":}", "{\"text\":\"a\"} x", "{}", "{\"text\":{}}"]
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
async fn what_is_left_behind_may_panic() {
    let toolbox = toolbox();
    let output = toolbox.call("leave", json!({ "as_payload": true })).await;
    assert!(output.is_error() && output.to_text().contains("leave"), "{}", output.to_text());
    let token = CancellationToken::new();
    let cx = ToolContext::new().with_cancellation(token.clone());
    let cancel = async {
        tokio::task::yield_now().await;
        token.cancel();
    };
    let (output, ()) = tokio::join!(toolbox.call_with("leave", json!({ "as_payload": false }), &cx), cancel);
    assert_eq!(output.to_text(), "Operation aborted");
}

#[test]
fn without_a_runtime_a_cancelled_call_ends_at_once() {
    use std::task::{Context, Poll, Waker};

    let toolbox = toolbox();
    let token = CancellationToken::new();
    let cx = ToolContext::new().with_cancellation(token.clone());
    let mut call = std::pin::pin!(toolbox.call_with("wait", "{}", &cx));
    let mut task = Context::from_waker(Waker::noop());
    assert!(call.as_mut().poll(&mut task).is_pending());
    token.cancel();
    match call.as_mut().poll(&mut task) {
        Poll::Ready(output) => assert_eq!(output.to_text(), "Operation aborted"),
        Poll::Pending => panic!("nothing to wait for"),
    }
}

#[tokio::test]
async fn a_call_that_takes_too_long_is_dropped() {
    let output = toolbox().call("slow", "{}").await;
    assert_eq!(output.to_text(), "Tool \"slow\" failed: it took longer than 20ms");
    assert!(output.is_error());
}

/// Take a moment, on a clock of its own.
#[pi_tool(timeout = "1ms")]
async fn moment() -> String {
    let (send, receive) = tokio::sync::oneshot::channel();
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(20));
        send.send("done")
    });
    receive.await.unwrap_or_default().to_owned()
}

#[test]
fn a_timeout_needs_a_clock() {
    let toolbox = toolbox();
    let without_runtime = block_on(toolbox.call("moment", "{}"));
    assert_eq!(without_runtime.to_text(), "done");
    let without_clock = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let output = without_clock.block_on(toolbox.call("moment", "{}"));
    assert_eq!(output.to_text(), "Tool \"moment\" failed: the tokio runtime has no clock: build it with `enable_time`");
}

/// An executor of one future, and nothing else.
fn block_on<F: Future>(future: F) -> F::Output {
    struct Unpark(std::thread::Thread);
    impl std::task::Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = std::task::Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut future = std::pin::pin!(future);
    loop {
        match future.as_mut().poll(&mut std::task::Context::from_waker(&waker)) {
            std::task::Poll::Ready(output) => return output,
            std::task::Poll::Pending => std::thread::park(),
        }
    }
}

#[tokio::test]
async fn a_blocking_tool_may_run_futures() {
    assert_eq!(toolbox().call("block", "{}").await.to_text(), "blocked");
}

#[tokio::test]
async fn a_soft_failure_keeps_its_details_and_changes_nothing() {
    let toolbox = toolbox();
    let output = toolbox.call("fail_softly", "{}").await;
    assert_eq!((output.is_error(), output.details()), (true, Some(&json!("of its own"))));
    let output = toolbox.call("plain_details", "{}").await;
    assert_eq!(output.details(), Some(&json!({ "number": 1, "details": "of its own" })));
}

#[tokio::test]
async fn what_cannot_be_read_names_the_tool_and_shows_what_was_received() {
    for arguments in [r#"{"text":"\ud800"}"#, &format!("{{\"text\":{}1{}}}", "[".repeat(200), "]".repeat(200))] {
        let text = toolbox().call("echo", arguments).await.to_text();
        assert!(text.starts_with("Invalid arguments for tool \"echo\": "), "{text}");
        assert!(text.ends_with(&format!("Received arguments:\n{arguments}")), "{text}");
    }
}

#[tokio::test]
async fn a_dropped_call_leaves_the_state_free() {
    let toolbox = toolbox();
    let cx = ToolContext::new();
    {
        let mut call = std::pin::pin!(toolbox.call_with("slow_increment", "{}", &cx));
        let is_pending =
            std::future::poll_fn(|task| std::task::Poll::Ready(call.as_mut().poll(task).is_pending())).await;
        assert!(is_pending);
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

    /// The fields of the span of a call, without how long it took.
    fn told(log: &Log) -> String {
        let text = std::mem::take(&mut *log.0.lock().unwrap());
        let (told, duration) = text.trim().split_once(" duration_ms=").unwrap_or_else(|| panic!("{text}"));
        let duration: f64 = duration.parse().unwrap();
        assert!(duration > 0.0 && duration < 5_000.0, "{text}");
        told.to_owned()
    }

    #[tokio::test]
    async fn tell_the_call_but_not_its_arguments() {
        let log = Log::default();
        let _guard = tracing::subscriber::set_default(log.clone());
        let cx = ToolContext::new().with_call_id("7");
        let toolbox = toolbox();
        let calls = [
            ("echo", json!({ "text": "hunter2" }), "ok"),
            ("echo", json!({ "txet": "hunter2" }), "error"),
            ("fail_softly", json!({}), "error"),
            ("slow", json!({}), "timeout"),
            ("blocking_increment", json!({ "panic": true }), "panic"),
        ];
        for (tool, arguments, outcome) in calls {
            toolbox.call_with(tool, arguments, &cx).await;
            assert_eq!(told(&log), format!("tool=\"{tool}\" call_id=\"7\" outcome=\"{outcome}\""));
        }
    }

    #[tokio::test]
    async fn tell_what_was_cancelled() {
        let log = Log::default();
        let _guard = tracing::subscriber::set_default(log.clone());
        let token = CancellationToken::new();
        let cx = ToolContext::new().with_cancellation(token.clone());
        let toolbox = toolbox();
        // By its caller.
        let call = toolbox.call_with("wait", "{}", &cx);
        assert!(tokio::time::timeout(Duration::from_millis(5), call).await.is_err());
        assert_eq!(told(&log), r#"tool="wait" call_id="" outcome="cancelled""#);
        // While it runs, and before.
        let cancel = async {
            tokio::task::yield_now().await;
            token.cancel();
        };
        tokio::join!(toolbox.call_with("wait", "{}", &cx), cancel);
        assert_eq!(told(&log), r#"tool="wait" call_id="" outcome="cancelled""#);
        toolbox.call_with("echo", json!({ "text": "hunter2" }), &cx).await;
        assert_eq!(told(&log), r#"tool="echo" call_id="" outcome="cancelled""#);
    }
}

/// Wait for a second poll.
#[pi_tool(handle = Patient, register = false)]
async fn patient() {
    let mut polls = 0;
    std::future::poll_fn(move |_| {
        polls += 1;
        if polls == 2 { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
}

#[test]
fn a_body_that_waits_is_not_polled_before_the_call_is() {
    let toolbox = Toolbox::builder().tool(Patient).build().unwrap();
    let mut call = std::pin::pin!(toolbox.call("patient", "{}"));
    let task = &mut Context::from_waker(Waker::noop());
    assert!(call.as_mut().poll(task).is_pending());
    assert!(call.as_mut().poll(task).is_ready());
}
