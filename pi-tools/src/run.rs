//! The guard around one call: it always ends in an output.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::Duration;

use serde_json::value::RawValue;

use crate::context::ToolContext;
use crate::error::ToolError;
use crate::output::ToolOutput;
use crate::pipeline;
use crate::session::Locked;
use crate::spec::{ToolSpec, Truncate};
use crate::tool::{Call, Entry, Finished, StartError, Started};
use crate::truncate::{Limits, TooLong};

/// How long a cancelled call may take to end by itself.
///
/// The Pi extension waits longer before it kills the process, so that a call that can be dropped takes no others down.
const GRACE: Duration = Duration::from_millis(750);

/// Runs a call to its end: a result, an error, a panic, or the end of the grace after a cancellation.
#[cfg(not(feature = "tracing"))]
pub(crate) async fn run(entry: &Entry, arguments: &RawValue, cx: &ToolContext) -> ToolOutput {
    supervise(entry, arguments, cx).await
}

/// Runs a call to its end, in a span that tells which call it is and how it ended, but not its arguments.
#[cfg(feature = "tracing")]
pub(crate) async fn run(entry: &Entry, arguments: &RawValue, cx: &ToolContext) -> ToolOutput {
    use tracing::Instrument as _;

    let is_error = tracing::field::Empty;
    let span = tracing::info_span!("tool_call", tool = entry.spec.name, call_id = cx.call_id(), is_error);
    let output = supervise(entry, arguments, cx).instrument(span.clone()).await;
    span.record("is_error", output.is_error());
    output
}

async fn supervise(entry: &Entry, arguments: &RawValue, cx: &ToolContext) -> ToolOutput {
    if cx.is_cancelled() {
        return aborted();
    }
    let mut running = pin!(Some(call(entry, arguments, cx)));
    let mut expired = pin!(expired(entry.spec, cx));
    // The call first: one that is ready when the time is over has its result.
    let output = std::future::poll_fn(|task| match guard(entry.spec, running.as_mut().as_pin_mut(), task) {
        Poll::Ready(output) => Poll::Ready(output),
        Poll::Pending => clock(entry.spec, expired.as_mut(), task),
    })
    .await;
    // What the tool has left may panic when it is dropped; the call is answered all the same.
    discard(|| running.set(None));
    output
}

/// Polls a call without its panics. Their payload stays out of the output: the panic hook has written it to stderr.
fn guard<F>(spec: &ToolSpec, call: Option<Pin<&mut F>>, task: &mut Context<'_>) -> Poll<ToolOutput>
where
    F: Future<Output = ToolOutput>,
{
    let Some(call) = call else { return Poll::Pending };
    catch_unwind(AssertUnwindSafe(|| call.poll(task))).unwrap_or_else(|payload| {
        discard(|| drop(payload));
        let text = "it panicked. This is a fault of the tool, not of the call";
        Poll::Ready(ToolError::new(text).of_tool(spec.name).into())
    })
}

/// Polls the end of the time. A runtime without a clock panics.
fn clock(
    spec: &ToolSpec,
    expired: Pin<&mut impl Future<Output = ToolOutput>>,
    task: &mut Context<'_>,
) -> Poll<ToolOutput> {
    catch_unwind(AssertUnwindSafe(|| expired.poll(task))).unwrap_or_else(|payload| {
        discard(|| drop(payload));
        let text = "the tokio runtime has no clock: build it with `enable_time`";
        Poll::Ready(ToolError::new(text).of_tool(spec.name).into())
    })
}

fn discard(drop: impl FnOnce()) {
    if let Err(payload) = catch_unwind(AssertUnwindSafe(drop)) {
        // Its destructor might be the next to panic.
        std::mem::forget(payload);
    }
}

/// Ends when the call must, with what it ends in.
async fn expired(spec: &ToolSpec, cx: &ToolContext) -> ToolOutput {
    let mut cancelled = pin!(async {
        cx.cancelled().await;
        // Without a clock there is nothing to wait for.
        if has_runtime() {
            tokio::time::sleep(GRACE).await;
        }
        aborted()
    });
    let mut timed_out = pin!(async {
        // Without a runtime there is no clock, and no limit.
        let Some(timeout) = spec.timeout.filter(|_| has_runtime()) else { return std::future::pending().await };
        tokio::time::sleep(timeout).await;
        ToolOutput::error(format!("Tool \"{}\" failed: it took longer than {timeout:?}", spec.name))
    });
    std::future::poll_fn(|task| match cancelled.as_mut().poll(task) {
        Poll::Ready(output) => Poll::Ready(output),
        Poll::Pending => timed_out.as_mut().poll(task),
    })
    .await
}

fn has_runtime() -> bool {
    tokio::runtime::Handle::try_current().is_ok()
}

fn aborted() -> ToolOutput {
    ToolOutput::error("Operation aborted")
}

/// Runs the tool with the states of the session, and stores those of a success.
async fn call(entry: &Entry, arguments: &RawValue, cx: &ToolContext) -> ToolOutput {
    let states = cx.session().lock(&entry.state_keys).await;
    let Finished { output, states: snapshot } = match execute(entry, arguments, &states, cx).await {
        Ok(finished) => finished,
        Err(error) => return refuse(entry.spec, error, cx),
    };
    let output = shorten(entry.spec, entry.spec.truncate, output, cx);
    if output.is_error() || snapshot.is_empty() {
        return output;
    }
    states.commit(&snapshot);
    output.with_states(snapshot)
}

/// The output of a call that did not run. The reasons come first, so of a long one the beginning is kept.
pub(crate) fn refuse(spec: &ToolSpec, error: ToolError, cx: &ToolContext) -> ToolOutput {
    let truncate = if spec.truncate == Truncate::None { Truncate::None } else { Truncate::Head };
    shorten(spec, truncate, error.into(), cx)
}

/// Cuts an output that is longer than the tool allows; the whole text goes into a file of the session.
///
/// It is written here and now, since that takes no longer than to send it.
fn shorten(spec: &ToolSpec, truncate: Truncate, output: ToolOutput, cx: &ToolContext) -> ToolOutput {
    let limits = Limits { max_lines: spec.max_lines, max_bytes: spec.max_bytes };
    match TooLong::check(output, truncate, limits) {
        Ok(long) => {
            let file = cx.session().spill(long.text());
            long.shorten(file)
        }
        Err(output) => output,
    }
}

/// Runs the tool. It is an error if it did not come to that.
async fn execute(
    entry: &Entry,
    arguments: &RawValue,
    states: &Locked,
    cx: &ToolContext,
) -> Result<Finished, ToolError> {
    let call = Call { arguments, states, cx };
    if !entry.must_check() {
        match entry.tool.start(call) {
            Ok(started) => return Ok(finish(started).await),
            Err(StartError::Tool(error)) => return Err(error.of_tool(entry.spec.name)),
            // The long way finds out all that is wrong, or what stands in the way of decoding.
            Err(StartError::Decode(_)) => {}
        }
    }
    let parameters = entry.parameters().map_err(|error| ToolError::from(error.clone()).of_tool(entry.spec.name))?;
    let checked = pipeline::check(entry.spec, arguments, parameters)?;
    match entry.tool.start(Call { arguments: &checked, ..call }) {
        Ok(started) => Ok(finish(started).await),
        Err(StartError::Tool(error)) => Err(error.of_tool(entry.spec.name)),
        Err(StartError::Decode(error)) => Err(pipeline::undecodable(entry.spec, &checked, &error)),
    }
}

async fn finish(started: Started<'_>) -> Finished {
    let result = match started {
        Started::Async(future) => future.await,
        Started::Blocking(body) => match tokio::runtime::Handle::try_current() {
            Ok(runtime) => {
                let result = runtime.spawn_blocking(body).await;
                result.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()))
            }
            Err(_) => body(),
        },
    };
    result.unwrap_or_else(|error| Finished::new(error.into()))
}
