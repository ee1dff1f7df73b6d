//! What a subscriber of `tracing` is told of a call: which one it is, how it ended and how long it took, but no arguments.

use std::time::Instant;

use tracing::Instrument as _;
use tracing::field::Empty;

use super::guard::{Failed, How};
use crate::context::ToolContext;
use crate::spec::ToolSpec;
use crate::tool::Finished;

/// Runs a call in a span of its own.
pub(super) async fn traced(
    spec: &ToolSpec,
    cx: &ToolContext,
    call: impl Future<Output = Result<Finished, Failed>>,
) -> Result<Finished, Failed> {
    let span = tracing::info_span!(
        "tool_call",
        tool = spec.name,
        call_id = cx.call_id(),
        outcome = Empty,
        duration_ms = Empty
    );
    // A call that is dropped before its end is told, too.
    let mut end = End { span: span.clone(), start: Instant::now(), outcome: "cancelled" };
    let result = call.instrument(span).await;
    end.outcome = match &result {
        Ok(ended) if !ended.output.is_error() => "ok",
        Err(Failed { how: How::Panic, .. }) => "panic",
        Err(Failed { how: How::Timeout, .. }) => "timeout",
        _ if cx.is_cancelled() => "cancelled",
        _ => "error",
    };
    result
}

/// Tells how a call ended when it is dropped.
struct End {
    span: tracing::Span,
    start: Instant,
    outcome: &'static str,
}

impl Drop for End {
    fn drop(&mut self) {
        self.span.record("outcome", self.outcome);
        self.span.record("duration_ms", self.start.elapsed().as_secs_f64() * 1000.0);
    }
}
