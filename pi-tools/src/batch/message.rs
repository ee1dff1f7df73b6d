//! One assistant message while its calls are answered.

use std::borrow::Cow;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

use serde_json::{Value, value::RawValue};

use super::together::Together;
use super::updates::Updates;
use super::{Batch, BatchEvent, BatchOutput, ToolCall, ToolResult};
use crate::context::ToolContext;
use crate::error::ToolError;
use crate::hooks::Hooks;
use crate::output::ToolOutput;
use crate::policy::Decision;
use crate::run::{self, Given};
use crate::spec::Execution;
use crate::tool::{Finished, ToolRef};
use crate::toolbox::Toolbox;

pub(super) struct Message<'a, F> {
    pub(super) batch: &'a Batch,
    pub(super) toolbox: &'a Toolbox,
    pub(super) calls: &'a [ToolCall<'a>],
    pub(super) cx: &'a ToolContext,
    pub(super) updates: Arc<Updates>,
    pub(super) record: Record<'a, F>,
}

/// A call that is ready to run.
struct Prepared<'a> {
    index: usize,
    tool: ToolRef<'a>,
    arguments: Cow<'a, RawValue>,
    /// What the hooks have seen; null without hooks.
    shown: Value,
    cx: ToolContext,
}

impl<'a, F: FnMut(BatchEvent<'_>) + Send> Message<'a, F> {
    pub(super) async fn answer(mut self) -> BatchOutput {
        if self.is_sequential() {
            for index in 0..self.calls.len() {
                if let Some(prepared) = self.start(index).await {
                    self.execute(vec![prepared]).await;
                }
                self.record.message(index);
            }
        } else {
            let mut prepared = Vec::with_capacity(self.calls.len());
            for index in 0..self.calls.len() {
                prepared.extend(self.start(index).await);
            }
            self.execute(prepared).await;
            for index in 0..self.calls.len() {
                self.record.message(index);
            }
        }
        self.record.finish()
    }

    fn is_sequential(&self) -> bool {
        let is_sequential = |tool: ToolRef<'_>| tool.execution() == Some(Execution::Sequential);
        self.batch.execution == Execution::Sequential
            || self.calls.iter().any(|call| self.toolbox.get(&call.name).is_some_and(is_sequential))
    }

    /// Prepares a call; one that must not run ends here.
    async fn start(&mut self, index: usize) -> Option<Prepared<'a>> {
        self.record.start(index);
        let output = match self.prepare(index).await {
            Ok((decision, prepared)) => match decision.refusal() {
                None => return Some(prepared),
                Some(refusal) => refusal,
            },
            Err(error) => ToolOutput::thrown(error),
        };
        self.record.end(index, output, None);
        None
    }

    async fn prepare(&self, index: usize) -> Result<(Decision, Prepared<'a>), ToolError> {
        let call = &self.calls[index];
        // This comes first, even for a tool that is not there.
        if self.cx.is_cancelled() {
            return Err(run::aborted());
        }
        let tool = self.toolbox.get(&call.name);
        let tool = tool.ok_or_else(|| ToolError::new(format!("Tool {} not found", call.name)))?;
        let raw = call.arguments.raw(&call.name).map_err(|error| run::refuse(tool.spec(), error, self.cx))?;
        let cx = self.cx.clone().with_call_id(&*call.id).with_updates(self.updates.of(index));
        let (hooks, policy) = (&self.batch.hooks, self.toolbox.policy());
        let is_shown = !hooks.is_empty() || policy.reads_arguments(tool.spec());
        let mut arguments = run::prepare(tool.entry, raw, is_shown, &cx).await?;
        let (mut shown, mut decision) = (Value::Null, Decision::Run);
        if !hooks.is_empty() {
            shown = serde_json::from_str(arguments.get())?;
            decision = hooks.before(tool, &mut shown, &cx).await?;
            arguments = Cow::Owned(serde_json::value::to_raw_value(&shown)?);
            // What a hook decided after a cancellation does not count.
            if cx.is_cancelled() {
                return Err(run::aborted());
            }
        }
        // What the hooks made of the arguments is what counts.
        if decision == Decision::Run {
            decision = run::permit(policy, tool, arguments.get(), &cx).await?;
        }
        Ok((decision, Prepared { index, tool, arguments, shown, cx }))
    }

    /// Runs these calls together, until the last has ended.
    async fn execute(&mut self, prepared: Vec<Prepared<'a>>) {
        let indices: Vec<usize> = prepared.iter().map(|prepared| prepared.index).collect();
        let mut together = Together::new(prepared.into_iter().map(|prepared| {
            let running = run_one(prepared, Arc::clone(&self.updates), &self.batch.hooks);
            Box::pin(running) as std::pin::Pin<Box<dyn Future<Output = _> + Send + '_>>
        }));
        std::future::poll_fn(|task| {
            let ended = together.poll(task);
            // First the updates, which come before the end.
            for (index, output) in self.updates.take(task) {
                self.record.update(index, &output);
                self.cx.host().update(&self.calls[index].id, output);
            }
            for (place, (output, duration)) in ended {
                self.record.end(indices[place], output, duration);
            }
            if together.is_empty() { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
    }
}

async fn run_one(prepared: Prepared<'_>, updates: Arc<Updates>, hooks: &Hooks) -> (ToolOutput, Option<Duration>) {
    let Prepared { index, tool, arguments, shown, cx } = prepared;
    if cx.is_cancelled() {
        return (ToolOutput::thrown(run::aborted()), None);
    }
    let begin = Instant::now();
    updates.open(index, true);
    let result = run::run(tool.entry, Given::Permitted(&arguments), &cx).await;
    updates.open(index, false);
    let duration = begin.elapsed();
    let mut finished = result.unwrap_or_else(Finished::from);
    finished.output = hooks.after(tool, &shown, finished.output, &cx).await;
    (finished.commit(), Some(duration))
}

/// What is told of a message's calls, and how they ended.
pub(super) struct Record<'a, F> {
    calls: &'a [ToolCall<'a>],
    results: Vec<Option<ToolResult>>,
    on_event: F,
}

impl<'a, F: FnMut(BatchEvent<'_>)> Record<'a, F> {
    pub(super) fn new(calls: &'a [ToolCall<'a>], on_event: F) -> Self {
        Self { calls, results: vec![None; calls.len()], on_event }
    }

    pub(super) fn start(&mut self, index: usize) {
        (self.on_event)(BatchEvent::Start { call: &self.calls[index] });
    }

    fn update(&mut self, index: usize, output: &ToolOutput) {
        (self.on_event)(BatchEvent::Update { call: &self.calls[index], output });
    }

    pub(super) fn end(&mut self, index: usize, output: ToolOutput, duration: Option<Duration>) {
        let ToolCall { id, name, .. } = &self.calls[index];
        let result = ToolResult { call_id: id.to_string(), tool_name: name.to_string(), output, duration };
        (self.on_event)(BatchEvent::End { result: self.results[index].insert(result) });
    }

    pub(super) fn message(&mut self, index: usize) {
        if let Some(result) = &self.results[index] {
            (self.on_event)(BatchEvent::Message { result });
        }
    }

    pub(super) fn finish(self) -> BatchOutput {
        let results: Vec<ToolResult> = self.results.into_iter().flatten().collect();
        let terminate = !results.is_empty() && results.iter().all(|result| result.output.terminate());
        BatchOutput { results, terminate }
    }
}
