//! Batches that are cancelled.

use std::task::{Context, Waker};
use std::time::{Duration, Instant};

use pi_tools::prelude::*;
use pi_tools::{Batch, CancellationToken, Decision, Hook, ToolRef};
use serde_json::{Value, json};

use crate::{run, texts, toolbox};

/// Wait for ever.
#[pi_tool(handle = Hang, register = false)]
async fn hang() -> String {
    std::future::pending().await
}

/// Stop when asked to, and say how far it came.
#[pi_tool(handle = Polite, register = false)]
async fn polite(cx: &ToolContext) -> String {
    cx.cancelled().await;
    "half".to_owned()
}

fn soon(token: &CancellationToken) -> tokio::task::JoinHandle<()> {
    let token = token.clone();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(20)).await;
        token.cancel();
    })
}

#[tokio::test]
async fn in_the_middle_every_call_is_answered_after_the_grace_of_one() {
    let toolbox = Toolbox::builder().tool(Hang).tool(Polite).build().unwrap();
    let token = CancellationToken::new();
    let cx = ToolContext::new().with_cancellation(token.clone());
    soon(&token);
    let begin = Instant::now();
    let calls = [("hang", json!({})), ("polite", json!({})), ("hang", json!({}))];
    let (output, told) = run(&Batch::new(), &toolbox, &calls, &cx).await;
    assert_eq!(texts(&output), ["Operation aborted", "half", "Operation aborted"]);
    assert_eq!(told[3..6], ["1 end", "0 end", "2 end"]);
    assert!(output.results.iter().all(|result| result.duration.is_some()));
    assert!(begin.elapsed() < Duration::from_millis(1500), "{:?}", begin.elapsed());
}

/// Never decides.
struct Undecided;

impl Hook for Undecided {
    async fn before(&self, tool: ToolRef<'_>, _: &mut Value, _: &ToolContext) -> Result<Decision, ToolError> {
        if tool.spec().name == "wait" { std::future::pending().await } else { Ok(Decision::Run) }
    }
}

#[tokio::test]
async fn a_hook_that_never_decides_is_dropped() {
    let token = CancellationToken::new();
    let cx = ToolContext::new().with_cancellation(token.clone());
    soon(&token);
    let calls = [("progress", json!({})), ("wait", json!({ "ms": 1 })), ("progress", json!({}))];
    let (output, _) = run(&Batch::new().hook(Undecided), &toolbox(), &calls, &cx).await;
    assert_eq!(texts(&output), ["Operation aborted"; 3]);
    assert!(output.results.iter().all(|result| result.duration.is_none()));
}

/// Cancels and blocks.
struct Stop(CancellationToken);

impl Hook for Stop {
    async fn before(&self, _: ToolRef<'_>, _: &mut Value, _: &ToolContext) -> Result<Decision, ToolError> {
        self.0.cancel();
        Ok(Decision::block("stop"))
    }
}

#[tokio::test]
async fn a_cancellation_beats_a_block_and_an_unknown_tool() {
    let token = CancellationToken::new();
    let cx = ToolContext::new().with_cancellation(token.clone());
    let calls = [("wait", json!({ "ms": 1 })), ("lost", json!({}))];
    let (output, _) = run(&Batch::new().hook(Stop(token)), &toolbox(), &calls, &cx).await;
    assert_eq!(texts(&output), ["Operation aborted"; 2]);
}

#[tokio::test]
async fn a_batch_that_is_dropped_leaves_the_state_free() {
    let toolbox = toolbox();
    let cx = ToolContext::new();
    let batch = Batch::new();
    let calls = [("add", json!({ "number": 1 })), ("add", json!({ "number": 2 }))];
    {
        let mut dropped = std::pin::pin!(run(&batch, &toolbox, &calls, &cx));
        assert!(dropped.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    }
    let (output, _) = run(&batch, &toolbox, &calls, &cx).await;
    assert_eq!(texts(&output), ["1", "3"]);
}
