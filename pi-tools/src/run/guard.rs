//! The guard around what a tool or an application brings: a panic and the end of its time are errors.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;
use std::time::Duration;

use crate::context::ToolContext;
use crate::error::ToolError;
use crate::queue::aborted;
use crate::spec::ToolSpec;

/// How long a cancelled call may take to end by itself.
///
/// The Pi extension waits longer before it kills the process, so that a call that can be dropped takes no others down.
const GRACE: Duration = Duration::from_millis(750);

/// What a part of a call ended in, in place of its result.
pub(crate) struct Failed {
    error: ToolError,
    #[cfg_attr(not(feature = "tracing"), expect(dead_code, reason = "only spans tell it"))]
    pub(super) how: How,
}

/// Of which kind a failure is. It has a whole word: beside a byte, what tells failures from outputs would be one, too, and
/// the output be copied in pieces.
#[derive(Clone, Copy)]
#[repr(usize)]
pub(super) enum How {
    /// What it ran failed, or it was cancelled.
    Error,
    Timeout,
    Panic,
}

impl From<ToolError> for Failed {
    fn from(error: ToolError) -> Self {
        Self { error, how: How::Error }
    }
}

impl From<Failed> for ToolError {
    fn from(failed: Failed) -> Self {
        failed.error
    }
}

/// Runs a part of a call to its end, or to that of its time, if it has one. A panic is the error `panicked`: the payload
/// stays out of it, because the panic hook has written it to stderr.
pub(crate) fn guard<T, E: Future<Output: Into<Failed>>>(
    spec: &ToolSpec,
    panicked: &'static str,
    mut running: Pin<&mut Option<impl Future<Output = Result<T, ToolError>>>>,
    expired: impl Fn() -> Option<E>,
) -> impl Future<Output = Result<T, Failed>> {
    // Made when the work has to wait. Most does not.
    let mut limit: Option<Option<Pin<Box<E>>>> = None;
    std::future::poll_fn(move |task| {
        let Some(work) = running.as_mut().as_pin_mut() else { return Poll::Pending };
        // The work first: one that is ready when the time is over has its result.
        let result = match caught(spec, panicked, || work.poll(task)) {
            Ok(Poll::Ready(result)) => result.map_err(Failed::from),
            Err(failed) => Err(failed),
            Ok(Poll::Pending) => {
                // A runtime without a clock panics.
                let clockless = "the tokio runtime has no clock: build it with `enable_time`";
                let Some(limit) = limit.get_or_insert_with(|| expired().map(Box::pin)) else { return Poll::Pending };
                match caught(spec, clockless, || limit.as_mut().poll(task)) {
                    Ok(Poll::Pending) => return Poll::Pending,
                    Ok(Poll::Ready(end)) => Err(end.into()),
                    Err(failed) => Err(failed),
                }
            }
        };
        // What the work has left may panic when it is dropped; the call is answered all the same.
        discard(|| running.set(None));
        Poll::Ready(result)
    })
}

pub(super) fn caught<T>(spec: &ToolSpec, panicked: &'static str, work: impl FnOnce() -> T) -> Result<T, Failed> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| {
        discard(|| drop(payload));
        Failed { error: ToolError::new(panicked).of_tool(spec.name), how: How::Panic }
    })
}

fn discard(drop: impl FnOnce()) {
    if let Err(payload) = catch_unwind(AssertUnwindSafe(drop)) {
        // Its destructor might be the next to panic.
        std::mem::forget(payload);
    }
}

/// Ends when the call must, with what it ends in.
pub(super) fn expired(
    spec: &ToolSpec,
    cx: &ToolContext,
    is_begun: &AtomicBool,
) -> Option<impl Future<Output = Failed>> {
    let has_end = spec.timeout.is_some() || cx.is_cancellable();
    has_end.then(|| cancelled_or_timed_out(spec, cx, is_begun))
}

async fn cancelled_or_timed_out(spec: &ToolSpec, cx: &ToolContext, is_begun: &AtomicBool) -> Failed {
    let mut cancelled = pin!(cancelled(cx));
    let mut timed_out = pin!(async {
        // Without a runtime there is no clock, and no limit.
        let Some(timeout) = spec.timeout.filter(|_| has_runtime()) else { return std::future::pending().await };
        // Waiting for its turn is not the call's time. The same task has just polled the call, so nobody need wake it.
        let begun = || if is_begun.load(Ordering::Relaxed) { Poll::Ready(()) } else { Poll::Pending };
        std::future::poll_fn(|_| begun()).await;
        tokio::time::sleep(timeout).await;
        let error = ToolError::new(format!("it took longer than {timeout:?}")).of_tool(spec.name);
        Failed { error, how: How::Timeout }
    });
    std::future::poll_fn(|task| match cancelled.as_mut().poll(task) {
        Poll::Ready(error) => Poll::Ready(error.into()),
        Poll::Pending => timed_out.as_mut().poll(task),
    })
    .await
}

/// Ends with the grace after a cancellation.
pub(crate) async fn cancelled(cx: &ToolContext) -> ToolError {
    cx.cancelled().await;
    // Without a clock there is nothing to wait for.
    if has_runtime() {
        tokio::time::sleep(GRACE).await;
    }
    aborted()
}

fn has_runtime() -> bool {
    tokio::runtime::Handle::try_current().is_ok()
}
