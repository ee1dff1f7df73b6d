//! The guard around one call: it always ends in an output.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use serde_json::value::RawValue;

use crate::context::ToolContext;
use crate::error::ToolError;
use crate::output::ToolOutput;
use crate::pipeline;
use crate::queue::{Held, aborted};
use crate::spec::ToolSpec;
use crate::tool::{Body, Call, Entry, Finished, StartError, Started};

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
        return aborted().into();
    }
    let is_begun = AtomicBool::new(false);
    let mut running = pin!(Some(call(entry, arguments, cx, &is_begun)));
    let mut expired = pin!(expired(entry.spec, cx, &is_begun));
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
    F: Future<Output = Result<ToolOutput, ToolError>>,
{
    let Some(call) = call else { return Poll::Pending };
    let result = match catch_unwind(AssertUnwindSafe(|| call.poll(task))) {
        Ok(Poll::Pending) => return Poll::Pending,
        Ok(Poll::Ready(result)) => result,
        Err(payload) => {
            discard(|| drop(payload));
            let text = "it panicked. This is a fault of the tool, not of the call";
            Err(ToolError::new(text).of_tool(spec.name))
        }
    };
    Poll::Ready(result.unwrap_or_else(Into::into))
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
async fn expired(spec: &ToolSpec, cx: &ToolContext, is_begun: &AtomicBool) -> ToolOutput {
    let mut cancelled = pin!(async {
        cx.cancelled().await;
        // Without a clock there is nothing to wait for.
        if has_runtime() {
            tokio::time::sleep(GRACE).await;
        }
        aborted().into()
    });
    let mut timed_out = pin!(async {
        // Without a runtime there is no clock, and no limit.
        let Some(timeout) = spec.timeout.filter(|_| has_runtime()) else { return std::future::pending().await };
        // Waiting for its turn is not the call's time. The same task has just polled the call, so nobody need wake it.
        let begun = || if is_begun.load(Ordering::Relaxed) { Poll::Ready(()) } else { Poll::Pending };
        std::future::poll_fn(|_| begun()).await;
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

/// Runs the tool with the states of the session, and stores those of a success.
async fn call(
    entry: &Entry,
    arguments: &RawValue,
    cx: &ToolContext,
    is_begun: &AtomicBool,
) -> Result<ToolOutput, ToolError> {
    let states = cx.session().lock(&entry.state_keys).await;
    let Finished { output, states: snapshot } =
        execute(entry, Call { arguments, states: &states, cx }, is_begun).await?;
    if output.is_error() || snapshot.is_empty() {
        return Ok(output);
    }
    states.commit(&snapshot);
    Ok(output.with_states(snapshot))
}

async fn execute(entry: &Entry, call: Call<'_>, is_begun: &AtomicBool) -> Result<Finished, ToolError> {
    let spec = entry.spec;
    if !entry.must_check() {
        match entry.tool.start(call) {
            Ok(started) => return finish(spec, started, call.cx, is_begun).await,
            Err(StartError::Tool(error)) => return Err(error.of_tool(spec.name)),
            // The long way finds out all that is wrong, or what stands in the way of decoding.
            Err(StartError::Decode(_)) => {}
        }
    }
    let parameters = entry.parameters().map_err(|error| ToolError::from(error.clone()).of_tool(spec.name))?;
    let checked = pipeline::check(spec, call.arguments, parameters)?;
    match entry.tool.start(Call { arguments: &checked, ..call }) {
        Ok(started) => finish(spec, started, call.cx, is_begun).await,
        Err(StartError::Tool(error)) => Err(error.of_tool(spec.name)),
        Err(StartError::Decode(error)) => Err(pipeline::undecodable(spec, &checked, &error)),
    }
}

/// Runs the body when it is its turn to change its files, which are its own until it ends: on a thread that may be after
/// the call.
async fn finish(
    spec: &ToolSpec,
    Started { body, files }: Started<'_>,
    cx: &ToolContext,
    is_begun: &AtomicBool,
) -> Result<Finished, ToolError> {
    let mut held = Held::of_files(files).map_err(|error| error.of_tool(spec.name))?;
    held.turn_of(cx).await?;
    is_begun.store(true, Ordering::Relaxed);
    match body {
        Body::Async(future) => held.run(future).await,
        Body::Blocking(body) => {
            let body = || held.run_blocking(body);
            match tokio::runtime::Handle::try_current() {
                Ok(runtime) => {
                    let result = runtime.spawn_blocking(body).await;
                    result.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()))
                }
                Err(_) => body(),
            }
        }
    }
}
