//! The guard around one call: it always ends in an output.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::task::Poll;
use std::time::Duration;

use crate::context::ToolContext;
use crate::error::ToolError;
use crate::output::ToolOutput;
use crate::spec::ToolSpec;

/// How long a cancelled call may take to end by itself.
///
/// The Pi extension waits longer before it kills the process, so that a call that can be dropped takes no others down.
const GRACE: Duration = Duration::from_millis(750);

type BoxFuture<'a> = Pin<Box<dyn Future<Output = Result<ToolOutput, ToolError>> + Send + 'a>>;

/// Runs a call to its end: a result, an error, a panic, or the end of the grace after a cancellation.
#[cfg(not(feature = "tracing"))]
pub(crate) async fn run(spec: &ToolSpec, call: BoxFuture<'_>, cx: &ToolContext) -> ToolOutput {
    supervise(spec, call, cx).await
}

/// Runs a call to its end, in a span that tells which call it is and how it ended, but not its arguments.
#[cfg(feature = "tracing")]
pub(crate) async fn run(spec: &ToolSpec, call: BoxFuture<'_>, cx: &ToolContext) -> ToolOutput {
    use tracing::Instrument as _;

    let is_error = tracing::field::Empty;
    let span = tracing::info_span!("tool_call", tool = spec.name, call_id = cx.call_id(), is_error);
    let output = supervise(spec, call, cx).instrument(span.clone()).await;
    span.record("is_error", output.is_error());
    output
}

async fn supervise(spec: &ToolSpec, call: BoxFuture<'_>, cx: &ToolContext) -> ToolOutput {
    let guarded = guard(spec, call);
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
async fn guard(spec: &ToolSpec, mut call: BoxFuture<'_>) -> ToolOutput {
    let result = std::future::poll_fn(|task| match catch_unwind(AssertUnwindSafe(|| call.as_mut().poll(task))) {
        Ok(Poll::Pending) => Poll::Pending,
        Ok(Poll::Ready(result)) => Poll::Ready(result),
        Err(_) => Poll::Ready(Err(ToolError::new(format!(
            "Tool \"{}\" failed: it panicked. This is a fault of the tool, not of the call",
            spec.name
        )))),
    })
    .await;
    result.unwrap_or_else(Into::into)
}
