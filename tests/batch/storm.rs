//! Ten thousand calls at once, of which most go wrong.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use pi_tools::prelude::*;
use pi_tools::{Batch, BatchEvent, CancellationToken, ToolCall};
use serde_json::{Value, json};

/// How many calls are alive.
#[derive(Clone, Default)]
struct Alive(Arc<AtomicUsize>);

impl Alive {
    fn enter(&self) -> Entered {
        self.0.fetch_add(1, Ordering::SeqCst);
        Entered(self.clone())
    }

    /// Fails if calls are left; one on a thread may need a moment to go.
    async fn is_over(&self) {
        for _ in 0..500 {
            if self.0.load(Ordering::SeqCst) == 0 {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("{} calls are left", self.0.load(Ordering::SeqCst));
    }
}

struct Entered(Alive);

impl Drop for Entered {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// What a call does.
#[derive(Clone, Copy, Debug, PartialEq, StringEnum)]
enum Fate {
    End,
    Panic,
    Hang,
    Fail,
}

async fn meet(fate: Fate, ms: u64) -> Result<String, ToolError> {
    tokio::time::sleep(Duration::from_millis(ms)).await;
    match fate {
        Fate::End => Ok("ended".to_owned()),
        Fate::Panic => panic!("on purpose"),
        Fate::Hang => std::future::pending().await,
        Fate::Fail => Err(ToolError::new("failed")),
    }
}

/// Meet a fate, with time enough.
#[pi_tool(handle = Patient, register = false)]
async fn patient(
    /// Which.
    fate: Fate,
    /// When, in milliseconds.
    ms: u64,
    alive: &Alive,
) -> Result<String, ToolError> {
    let _entered = alive.enter();
    meet(fate, ms).await
}

/// Meet a fate soon.
#[pi_tool(timeout = "5ms", handle = Hasty, register = false)]
async fn hasty(
    /// Which.
    fate: Fate,
    /// When, in milliseconds.
    ms: u64,
    alive: &Alive,
) -> Result<String, ToolError> {
    let _entered = alive.enter();
    meet(fate, ms).await
}

/// Meet a fate on a thread.
#[pi_tool(handle = Blocking, register = false)]
fn blocking(
    /// Which.
    fate: Fate,
    alive: &Alive,
) -> Result<String, ToolError> {
    let _entered = alive.enter();
    match fate {
        Fate::End | Fate::Hang => Ok("ended".to_owned()),
        Fate::Panic => panic!("on purpose"),
        Fate::Fail => Err(ToolError::new("failed")),
    }
}

/// How many calls ended well.
#[derive(Clone, Default, Serialize, Deserialize, SessionState)]
struct Tally(usize);

/// Count, and meet a fate.
#[pi_tool(timeout = "5ms", handle = Count, register = false)]
async fn count(
    /// Which.
    fate: Fate,
    tally: &mut Tally,
    alive: &Alive,
) -> Result<String, ToolError> {
    let _entered = alive.enter();
    tally.0 += 1;
    meet(fate, 0).await
}

/// Numbers that are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % bound
    }

    fn fate(&mut self) -> Value {
        ["end", "panic", "hang", "fail", "nonsense", ""][self.below(6)].into()
    }
}

fn toolbox(alive: &Alive) -> Toolbox {
    // Thousands of expected panics would drown everything else that the tests print.
    static QUIET: std::sync::Once = std::sync::Once::new();
    QUIET.call_once(|| {
        let loud = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if panic.payload().downcast_ref() != Some(&"on purpose") {
                loud(panic);
            }
        }));
    });
    let toolbox = Toolbox::builder().tool(Patient).tool(Hasty).tool(Blocking).tool(Count);
    toolbox.provide(alive.clone()).build().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_call_is_answered_once_and_nothing_is_left() {
    const CALLS: usize = 10_000;
    let alive = Alive::default();
    let toolbox = toolbox(&alive);
    let mut random = Random(7);
    let calls: Vec<ToolCall<'_>> = (0..CALLS)
        .map(|place| {
            let tool = ["patient", "patient", "hasty", "hasty", "blocking", "lost"][random.below(6)];
            let mut arguments = json!({ "fate": random.fate() });
            if tool != "blocking" {
                arguments["ms"] = random.below(40).into();
            }
            let text = arguments.to_string();
            let is_cut = random.below(20) == 0;
            ToolCall::new(place.to_string(), tool, if is_cut { text[..text.len() / 2].to_owned() } else { text })
        })
        .collect();
    let token = CancellationToken::new();
    let cx = ToolContext::new().with_cancellation(token.clone());
    let (mut started, mut ended, mut told) = (vec![0; CALLS], vec![0; CALLS], Vec::new());
    let output = Batch::new()
        .run(&toolbox, &calls, &cx, |event| match event {
            BatchEvent::Start { call } => started[call.id.parse::<usize>().unwrap()] += 1,
            BatchEvent::End { result } => {
                ended[result.call_id.parse::<usize>().unwrap()] += 1;
                // Some time after the first that ended by itself.
                if result.output.to_text() == "ended" {
                    let token = token.clone();
                    tokio::spawn(async move {
                        tokio::time::sleep(Duration::from_millis(20)).await;
                        token.cancel();
                    });
                }
            }
            BatchEvent::Message { result } => told.push(result.call_id.parse::<usize>().unwrap()),
            _ => {}
        })
        .await;
    assert_eq!((started, ended), (vec![1; CALLS], vec![1; CALLS]));
    assert_eq!(told, (0..CALLS).collect::<Vec<_>>());
    for (call, result) in calls.iter().zip(&output.results) {
        assert_eq!((&*call.id, &*call.name), (&*result.call_id, &*result.tool_name));
    }
    let count = |text: &str| output.results.iter().filter(|result| result.output.to_text().contains(text)).count();
    for kind in
        ["ended", "failed", "panicked", "took longer", "aborted", "not found", "Validation failed", "Invalid arguments"]
    {
        assert!(count(kind) > 50, "{kind}: {}", count(kind));
    }
    alive.is_over().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn batches_that_share_a_session_leave_its_state_whole_and_free() {
    let alive = Alive::default();
    let toolbox = Arc::new(toolbox(&alive));
    let cx = ToolContext::new();
    let batches: Vec<_> = (0..4)
        .map(|batch| {
            let (toolbox, token) = (Arc::clone(&toolbox), CancellationToken::new());
            let cx = cx.clone().with_cancellation(token.clone());
            tokio::spawn(async move {
                let mut random = Random(batch);
                let calls: Vec<ToolCall<'_>> = (0..200)
                    .map(|place| ToolCall::new(place.to_string(), "count", json!({ "fate": random.fate() })))
                    .collect();
                let mut to_go = 200 + random.below(400);
                let on_event = |event: BatchEvent<'_>| {
                    to_go = to_go.saturating_sub(1);
                    if to_go == 0 && matches!(event, BatchEvent::Start { .. }) {
                        token.cancel();
                    }
                };
                let output = Batch::new().run(&toolbox, &calls, &cx, on_event).await;
                assert_eq!(output.results.len(), calls.len());
                output.results.iter().filter(|result| !result.output.is_error()).count()
            })
        })
        .collect();
    let mut ended = 0;
    for batch in batches {
        ended += batch.await.unwrap();
    }
    assert!(ended > 20, "{ended}");
    let output = toolbox.call_with("count", r#"{"fate":"end"}"#, &cx).await;
    assert_eq!(output.details(), Some(&json!({ "tally": ended + 1 })));
    alive.is_over().await;
}
