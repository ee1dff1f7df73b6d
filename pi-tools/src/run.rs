//! The guard around one call: it always ends in an output.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use serde_json::value::RawValue;

use crate::context::ToolContext;
use crate::error::ToolError;
use crate::output::ToolOutput;
use crate::pipeline;
use crate::session::Locked;
use crate::tool::{Call, Entry, Finished, StartError, Started};

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
    let guarded = guard(entry, arguments, cx);
    let Some(token) = cx.cancellation() else {
        return guarded.await;
    };
    let mut guarded = pin!(guarded);
    let mut expired = pin!(async {
        token.cancelled().await;
        tokio::time::sleep(GRACE).await;
    });
    // The call first: one that is ready when the grace ends has its result.
    std::future::poll_fn(|task| {
        if let Poll::Ready(output) = guarded.as_mut().poll(task) {
            return Poll::Ready(output);
        }
        expired.as_mut().poll(task).map(|()| ToolOutput::error("Operation aborted"))
    })
    .await
}

/// Turns a panic into an output. Its payload stays out of it: the panic hook has written it to stderr.
async fn guard(entry: &Entry, arguments: &RawValue, cx: &ToolContext) -> ToolOutput {
    let mut call = pin!(call(entry, arguments, cx));
    let result = std::future::poll_fn(|task| match catch_unwind(AssertUnwindSafe(|| call.as_mut().poll(task))) {
        Ok(Poll::Pending) => Poll::Pending,
        Ok(Poll::Ready(result)) => Poll::Ready(result),
        Err(_) => Poll::Ready(Err(ToolError::new(format!(
            "Tool \"{}\" failed: it panicked. This is a fault of the tool, not of the call",
            entry.spec.name
        )))),
    })
    .await;
    result.unwrap_or_else(Into::into)
}

/// Runs the tool with the states of the session, and stores those of a success.
async fn call(entry: &Entry, arguments: &RawValue, cx: &ToolContext) -> Result<ToolOutput, ToolError> {
    let states = cx.session().lock(&entry.state_keys).await;
    let Finished { output, states: snapshot } = execute(entry, arguments, &states, cx).await?;
    if output.is_error() || snapshot.is_empty() {
        return Ok(output);
    }
    states.commit(&snapshot);
    Ok(output.with_states(snapshot))
}

async fn execute(
    entry: &Entry,
    arguments: &RawValue,
    states: &Locked,
    cx: &ToolContext,
) -> Result<Finished, ToolError> {
    let checked;
    let started = match entry.tool.start(Call { arguments, states, cx }) {
        Ok(started) => started,
        Err(StartError::Tool(error)) => return Err(error),
        Err(StartError::Decode(_)) => {
            checked = pipeline::check(entry.spec, arguments, entry.parameters())?;
            entry.tool.start(Call { arguments: &checked, states, cx }).map_err(|error| match error {
                StartError::Decode(error) => pipeline::undecodable(entry.spec, &checked, &error),
                StartError::Tool(error) => error,
            })?
        }
    };
    match started {
        Started::Async(future) => future.await,
        Started::Blocking(body) => match tokio::runtime::Handle::try_current() {
            Ok(runtime) => {
                let result = runtime.spawn_blocking(body).await;
                result.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()))
            }
            Err(_) => body(),
        },
    }
}
