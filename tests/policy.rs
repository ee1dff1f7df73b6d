//! What may run, and who is asked.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use pi_tools::prelude::*;
use pi_tools::{
    Batch, BatchEvent, CancellationToken, Decision, Dialog, Hook, Host, Policy, ToolCall, ToolRef, Tools, async_trait,
    with_file_mutation_queue,
};
use serde_json::{Value, json};

#[path = "policy/command.rs"]
mod command;
#[path = "policy/outside.rs"]
mod outside;

/// How often a body ran.
static RUNS: AtomicUsize = AtomicUsize::new(0);

/// Look at it.
#[pi_tool(read_only, namespace = "git", handle = Status, register = false)]
fn status() -> String {
    "clean".to_owned()
}

/// Throw it away.
#[pi_tool(destructive, open_world, namespace = "git", handle = Reset, register = false)]
fn reset() -> String {
    "gone".to_owned()
}

/// Say what comes.
#[pi_tool(idempotent, handle = Say, register = false)]
fn say(
    /// What.
    text: String,
) -> String {
    text
}

#[derive(Clone, Default, Serialize, Deserialize, SessionState)]
struct Removed(Vec<String>);

/// Remove a file.
#[pi_tool(confirm = "Remove {path}, {times} times?", timeout = "40ms", handle = Remove, register = false)]
async fn remove(
    /// Which.
    #[arg(alias = "file", mutates)]
    path: ToolPath,
    /// How often.
    #[arg(default = 1)]
    times: u8,
    removed: &mut Removed,
) -> String {
    RUNS.fetch_add(1, Ordering::Relaxed);
    removed.0.push(path.as_str().to_owned());
    format!("removed {}, {times} times", path.as_str())
}

/// Ask first, and then repeat it.
#[pi_tool(confirm = "Repeat {text}?", handle = Repeat, register = false)]
async fn repeat(
    /// What.
    text: String,
) -> String {
    text
}

fn toolbox(policy: Policy) -> Toolbox {
    let tools = Toolbox::builder().tool(Status).tool(Reset).tool(Say).tool(Remove).tool(Repeat);
    tools.policy(policy).build().unwrap()
}

/// The names of the tools that a policy lets run.
async fn running(policy: Policy) -> Vec<&'static str> {
    let toolbox = toolbox(policy.and(Policy::yes()));
    let mut names = Vec::new();
    for tool in toolbox.tools() {
        let name = tool.spec().name;
        let arguments = match name {
            "say" | "repeat" => r#"{"text":"x"}"#,
            "remove" => r#"{"path":"/nowhere/x"}"#,
            _ => "{}",
        };
        let output = toolbox.call(name, arguments).await;
        if output.is_error() {
            assert!(output.to_text().starts_with("Tool execution was blocked"), "{name}: {}", output.to_text());
        } else {
            names.push(name);
        }
    }
    names
}

#[tokio::test]
async fn rules() {
    let all = ["remove", "repeat", "reset", "say", "status"];
    assert_eq!(running(Policy::all()).await, all);
    assert_eq!(running(Policy::default()).await, all);
    assert_eq!(running(Policy::read_only()).await, ["status"]);
    assert_eq!(running(Policy::allow(["say", "reset", "gone"])).await, ["reset", "say"]);
    assert_eq!(running(Policy::allow([""; 0])).await, [""; 0]);
    assert_eq!(running(Policy::deny(["say", "status"])).await, ["remove", "repeat", "reset"]);
    assert_eq!(running(Policy::deny([""; 0])).await, all);
    assert_eq!(running(Policy::allow([Tools::Namespace("git".to_owned())])).await, ["reset", "status"]);
    assert_eq!(running(Policy::deny([Tools::Destructive])).await, ["remove", "repeat", "say", "status"]);
    assert_eq!(
        running(Policy::allow([Tools::OpenWorld, Tools::Idempotent, "remove".into()])).await,
        ["remove", "reset", "say"]
    );
    let by_name = Policy::decide(|tool, _| match tool.spec().name {
        name if name.starts_with('r') => Decision::Run,
        _ => Decision::block(""),
    });
    assert_eq!(running(by_name.clone()).await, ["remove", "repeat", "reset"]);
    // Both must agree, in whatever order.
    assert_eq!(running(Policy::deny(["reset"]).and(by_name.clone())).await, ["remove", "repeat"]);
    assert_eq!(running(by_name.and(Policy::deny(["reset"]))).await, ["remove", "repeat"]);
    assert_eq!(running(Policy::read_only().and(Policy::allow(["say"]))).await, [""; 0]);
}

#[tokio::test]
async fn one_more_policy_allows_no_more() {
    let builder = Toolbox::builder().tool(Say).tool(Status).policy(Policy::deny(["say"]));
    let toolbox = builder.policy(Policy::allow(["say", "status"])).build().unwrap();
    assert!(toolbox.call("say", r#"{"text":"x"}"#).await.is_error());
    assert!(!toolbox.call("status", "{}").await.is_error());
    let toolbox = toolbox.with_policy(Policy::deny([Tools::ReadOnly]));
    assert_eq!(
        toolbox.call("status", "{}").await.to_text(),
        "Tool execution was blocked by the policy `deny=@read-only`"
    );
    assert_eq!(toolbox.tools().len(), 2);
}

#[tokio::test]
async fn a_function_sees_checked_arguments() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let see = Arc::clone(&seen);
    let policy = Policy::decide(move |tool, arguments| {
        see.lock().unwrap().push((tool.spec().name, arguments.clone()));
        if arguments["text"] == "7" { Decision::block("not that one") } else { Decision::Run }
    });
    let toolbox = toolbox(policy.and(Policy::yes()));
    assert_eq!(toolbox.call("say", r#"{"text":7}"#).await.to_text(), "not that one");
    assert_eq!(toolbox.call("say", r#"{"text":8}"#).await.to_text(), "8");
    let output = toolbox.call("remove", r#"{"file":"/nowhere/f","times":"2"}"#).await;
    assert_eq!(output.to_text(), "removed /nowhere/f, 2 times");
    // What is wrong is no call that could be allowed.
    assert!(toolbox.call("say", "{}").await.to_text().contains("text: missing"));
    let expected = [
        ("say", json!({ "text": "7" })),
        ("say", json!({ "text": "8" })),
        ("remove", json!({ "path": "/nowhere/f", "times": 2 })),
    ];
    assert_eq!(*seen.lock().unwrap(), expected);
}

#[tokio::test]
async fn arguments_are_checked_first() {
    let toolbox = toolbox(Policy::deny(["say", "repeat"]));
    for name in ["say", "repeat"] {
        assert!(toolbox.call(name, "{}").await.to_text().contains("text: missing"));
        assert!(toolbox.call(name, r#"{"text":"x"}"#).await.to_text().starts_with("Tool execution was blocked"));
    }
    assert_eq!(toolbox.call("tell", "{}").await.to_text(), "Tool tell not found");
}

#[tokio::test]
async fn who_decides_may_panic() {
    let toolbox = toolbox(Policy::decide(|_, _| panic!("hunter2")));
    let text = toolbox.call("say", r#"{"text":"x"}"#).await.to_text();
    assert!(text.contains("a fault of the application") && !text.contains("hunter2"), "{text}");
}

/// A host that is asked.
struct Asked {
    questions: Mutex<Vec<String>>,
    answer: fn(&str) -> Option<bool>,
    wait: Duration,
    is_dropped: Arc<AtomicBool>,
}

impl Asked {
    fn new(answer: fn(&str) -> Option<bool>) -> Arc<Self> {
        Self::slow(answer, Duration::ZERO)
    }

    fn slow(answer: fn(&str) -> Option<bool>, wait: Duration) -> Arc<Self> {
        Arc::new(Self { questions: Mutex::default(), answer, wait, is_dropped: Arc::default() })
    }

    fn questions(&self) -> Vec<String> {
        std::mem::take(&mut self.questions.lock().unwrap())
    }
}

struct OnDrop(Arc<AtomicBool>);

impl Drop for OnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[async_trait]
impl Host for Asked {
    async fn confirm(&self, dialog: Dialog<'_>, _: &str) -> Option<bool> {
        let (call_id, question) = (dialog.call_id, dialog.title);
        let _guard = OnDrop(Arc::clone(&self.is_dropped));
        self.questions.lock().unwrap().push(format!("{call_id}: {question}"));
        if !self.wait.is_zero() {
            tokio::time::sleep(self.wait).await;
        }
        (self.answer)(question)
    }
}

fn context(host: &Arc<Asked>) -> ToolContext {
    ToolContext::new().with_call_id("c").with_host(Arc::<Asked>::clone(host))
}

#[tokio::test]
async fn asked_and_answered() {
    let toolbox = toolbox(Policy::all());
    let host = Asked::new(|question| match question {
        question if question.contains("/yes") => Some(true),
        question if question.contains("/no") => Some(false),
        _ => None,
    });
    let cx = context(&host);
    let before = RUNS.load(Ordering::Relaxed);
    let call = async |arguments: Value| toolbox.call_with("remove", arguments, &cx).await;

    let output = call(json!({ "file": "/yes\n/no", "times": "3" })).await;
    assert_eq!(output.to_text(), "removed /yes\n/no, 3 times");
    let no = call(json!({ "path": "/no" })).await;
    assert_eq!(no.to_text(), "Tool execution was blocked: the user said no to \"Remove /no, 1 times?\"");
    let nobody = call(json!({ "path": "/else" })).await;
    assert_eq!(
        nobody.to_text(),
        "Tool execution was blocked: it needs the answer yes to \"Remove /else, 1 times?\", and nobody is there to give \
         it. The policy `yes` answers in advance: `--policy yes` on the command line, `Policy::yes()` in a program."
    );
    assert!(no.is_error() && nobody.is_error());
    assert!(call(json!({ "path": "/yes", "times": 256 })).await.to_text().starts_with("Validation failed"));
    assert_eq!(
        host.questions(),
        ["c: Remove /yes\\n/no, 3 times?", "c: Remove /no, 1 times?", "c: Remove /else, 1 times?"]
    );
    assert!(RUNS.load(Ordering::Relaxed) > before);
    // The states of what was refused are as they were.
    let output = call(json!({ "path": "/yes" })).await;
    assert_eq!(output.details(), Some(&json!({ "removed": ["/yes\n/no", "/yes"] })));
    host.questions();

    // A policy that blocks is asked first, and one that says yes asks nobody.
    let denying = self::toolbox(Policy::deny(["remove"]));
    assert!(denying.call_with("remove", json!({ "path": "/yes" }), &cx).await.is_error());
    let agreeing = self::toolbox(Policy::yes());
    assert!(!agreeing.call_with("remove", json!({ "path": "/no" }), &cx).await.is_error());
    assert_eq!(host.questions(), [""; 0]);
}

#[tokio::test]
async fn a_question_takes_no_time_of_the_call() {
    let host = Asked::slow(|_| Some(true), Duration::from_millis(200));
    let output = toolbox(Policy::all()).call_with("remove", json!({ "path": "/slow" }), &context(&host)).await;
    assert_eq!(output.to_text(), "removed /slow, 1 times");
}

/// Answers, and cancels the call at once.
struct Both(CancellationToken);

#[async_trait]
impl Host for Both {
    async fn confirm(&self, _: Dialog<'_>, _: &str) -> Option<bool> {
        self.0.cancel();
        Some(true)
    }
}

#[tokio::test]
async fn a_cancelled_question_is_dropped() {
    let token = CancellationToken::new();
    let host = Asked::slow(|_| Some(true), Duration::from_secs(60));
    let cx = context(&host).with_cancellation(token.clone());
    let start = Instant::now();
    let cancel = async {
        tokio::time::sleep(Duration::from_millis(20)).await;
        token.cancel();
    };
    let toolbox = toolbox(Policy::all());
    let (output, ()) = tokio::join!(toolbox.call_with("repeat", json!({ "text": "x" }), &cx), cancel);
    assert_eq!(output.to_text(), "Operation aborted");
    assert!(start.elapsed() < Duration::from_millis(500) && host.is_dropped.load(Ordering::Relaxed));

    // Nor does an answer count that comes with the cancellation.
    let token = CancellationToken::new();
    let cx = ToolContext::new().with_cancellation(token.clone()).with_host(Arc::new(Both(token)));
    assert_eq!(toolbox.call_with("repeat", json!({ "text": "x" }), &cx).await.to_text(), "Operation aborted");
}

#[tokio::test]
async fn a_host_may_panic() {
    let host = Asked::new(|_| panic!("hunter2"));
    let output = toolbox(Policy::all()).call_with("repeat", json!({ "text": "x" }), &context(&host)).await;
    let text = output.to_text();
    assert!(text.starts_with("Tool \"repeat\" failed: ") && text.contains("a fault of the application"), "{text}");
    assert!(!text.contains("hunter2"));
}

/// Who waits for a file has been asked, and who is refused does not wait.
#[tokio::test]
async fn files_come_after_the_answer() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let arguments = json!({ "path": path });
    let toolbox = toolbox(Policy::all());
    let host = Asked::new(|question| Some(!question.contains("2 times")));
    let cx = context(&host);
    let released = CancellationToken::new();
    let holder = with_file_mutation_queue(&path, released.cancelled());
    let calls = async {
        let twice = json!({ "path": path, "times": 2 });
        let refused = toolbox.call_with("remove", twice, &cx);
        let refused = tokio::time::timeout(Duration::from_secs(5), refused).await.unwrap();
        assert!(refused.to_text().contains("the user said no"));
        let mut waiting = Box::pin(toolbox.call_with("remove", arguments, &cx));
        assert!(tokio::time::timeout(Duration::from_millis(100), &mut waiting).await.is_err());
        assert_eq!(host.questions().len(), 2);
        released.cancel();
        assert!(!waiting.await.is_error());
    };
    let (held, ()) = tokio::join!(holder, calls);
    held.unwrap();
}

/// Makes every text a louder one, and counts what ran.
struct Louder(Arc<AtomicUsize>);

impl Hook for Louder {
    async fn before(&self, _: ToolRef<'_>, arguments: &mut Value, _: &ToolContext) -> Result<Decision, ToolError> {
        if arguments["text"] == "secret" {
            return Ok(Decision::block("hooked"));
        }
        arguments["text"] = format!("{}!", arguments["text"].as_str().unwrap_or_default()).into();
        Ok(Decision::Run)
    }

    async fn after(
        &self,
        _: ToolRef<'_>,
        _: &Value,
        output: ToolOutput,
        _: &ToolContext,
    ) -> Result<ToolOutput, ToolError> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Ok(output)
    }
}

#[tokio::test]
async fn a_batch_asks_one_after_another() {
    let toolbox = toolbox(Policy::deny(["say"]));
    let host = Asked::slow(|question| Some(!question.contains("no")), Duration::from_millis(5));
    let calls = [
        ToolCall::new("1", "repeat", r#"{"text":"yes"}"#),
        ToolCall::new("2", "say", r#"{"text":"x"}"#),
        ToolCall::new("3", "repeat", r#"{"text":"no"}"#),
        ToolCall::new("4", "repeat", r#"{"text":"secret"}"#),
        ToolCall::new("5", "repeat", r#"{"text":8}"#),
        ToolCall::new("6", "repeat", "{}"),
    ];
    let texts = |output: &pi_tools::BatchOutput| -> Vec<(String, bool)> {
        let text = |text: String| text.lines().next().unwrap_or_default().to_owned();
        output.results.iter().map(|result| (text(result.output.to_text()), result.duration.is_some())).collect()
    };

    let mut ended = Vec::new();
    let output = Batch::new()
        .run(&toolbox, &calls[..5], &context(&host), |event| {
            if let BatchEvent::End { result } = event {
                ended.push(result.call_id.clone());
            }
        })
        .await;
    let ran = |text: &str| (text.to_owned(), true);
    let refused = |text: &str| (text.to_owned(), false);
    let blocked = |text: &str| refused(&format!("Tool execution was blocked{text}"));
    assert_eq!(
        texts(&output),
        [
            ran("yes"),
            blocked(" by the policy `deny=say`"),
            blocked(": the user said no to \"Repeat no?\""),
            ran("secret"),
            ran("8")
        ]
    );
    assert_eq!(ended[..2], ["2", "3"]);
    assert_eq!(host.questions(), ["1: Repeat yes?", "3: Repeat no?", "4: Repeat secret?", "5: Repeat 8?"]);

    // With a hook: what it made of the arguments is asked, and what it blocked is not.
    let after = Arc::new(AtomicUsize::new(0));
    let output = Batch::new().hook(Louder(Arc::clone(&after))).run(&toolbox, &calls, &context(&host), |_| {}).await;
    assert_eq!(
        texts(&output),
        [
            ran("yes!"),
            blocked(" by the policy `deny=say`"),
            blocked(": the user said no to \"Repeat no!?\""),
            refused("hooked"),
            ran("8!"),
            refused("Validation failed for tool \"repeat\":"),
        ]
    );
    assert_eq!(host.questions(), ["1: Repeat yes!?", "3: Repeat no!?", "5: Repeat 8!?"]);
    assert_eq!(after.load(Ordering::Relaxed), 2);
    assert_eq!(output.results[1].output.details(), Some(&json!({})));
}

#[tokio::test]
async fn a_policy_may_stop_the_agent() {
    let stop = Policy::decide(|_, _| Decision::Block { reason: String::new(), terminate: true });
    let toolbox = toolbox(stop);
    let output = toolbox.call("say", r#"{"text":"x"}"#).await;
    assert_eq!((output.to_text().as_str(), output.terminate()), ("Tool execution was blocked", true));
    let calls = [ToolCall::new("1", "say", r#"{"text":"x"}"#), ToolCall::new("2", "status", "{}")];
    assert!(toolbox.run_batch(&calls).await.terminate);
}

#[tokio::test]
async fn a_policy_as_text() {
    let parse = |text: &str| text.parse::<Policy>();
    for (text, names) in [
        ("read-only", &["status"][..]),
        ("allow=say,git/", &["reset", "say", "status"]),
        (" allow=git/  deny=@destructive\nyes", &["status"]),
        ("deny=@read-only,@open-world,@idempotent", &["remove", "repeat"]),
        ("yes", &["remove", "repeat", "reset", "say", "status"]),
    ] {
        assert_eq!(running(parse(text).unwrap()).await, names, "{text}");
    }
    let output = toolbox(parse("allow=@read-only,say,git/").unwrap()).call("repeat", r#"{"text":"x"}"#).await;
    assert_eq!(output.to_text(), "Tool execution was blocked by the policy `allow=@read-only,say,git/`");
    let rules = "write `read-only`, `allow=TOOL,..`, `deny=TOOL,..` or `yes`";
    for (text, problem) in [
        ("", format!("there is no rule: {rules}")),
        ("readonly", format!("`readonly` is no rule: {rules}")),
        ("yes=say", format!("`yes=say` is no rule: {rules}")),
        ("deny", format!("`deny` is no rule: {rules}")),
        ("yes Deny=x", format!("`Deny=x` is no rule: {rules}")),
        ("allow=", "the name of a tool or namespace is empty".to_owned()),
        ("deny=a,,b", "the name of a tool or namespace is empty".to_owned()),
        ("deny=/", "the name of a tool or namespace is empty".to_owned()),
        (
            "deny=@readonly",
            "`@readonly` is no annotation: write one of @read-only, @destructive, @idempotent, @open-world".to_owned(),
        ),
    ] {
        assert_eq!(parse(text).unwrap_err().to_string(), problem, "{text}");
    }
}
