//! What a call ends in is cut where it is too long.

use crate::context::ToolContext;
use crate::error::ToolError;
use crate::output::ToolOutput;
use crate::spec::{DEFAULT_MAX_BYTES, DEFAULT_MAX_LINES, ToolSpec, Truncate};
use crate::truncate::{Limits, TooLong};

/// Why a call did not run. The reasons come first, so of a long error the beginning is kept.
pub(crate) fn refuse(spec: &ToolSpec, error: ToolError, cx: &ToolContext) -> ToolError {
    let truncate = if spec.truncate == Truncate::None { Truncate::None } else { Truncate::Head };
    shorten_error(spec, truncate, error, cx)
}

pub(super) fn shorten_error(spec: &ToolSpec, truncate: Truncate, error: ToolError, cx: &ToolContext) -> ToolError {
    let (message, details) = error.into_parts();
    let mut output = ToolOutput::error(message);
    shorten(spec, truncate, &mut output, cx);
    let error = ToolError::new(output.take_text());
    match details {
        Some(details) => error.with_details(details),
        None => error,
    }
}

fn limits(spec: &ToolSpec) -> Limits {
    Limits { max_lines: spec.max_lines, max_bytes: spec.max_bytes }
}

/// Cuts an output that is longer than the tool allows.
pub(super) fn shorten(spec: &ToolSpec, truncate: Truncate, output: &mut ToolOutput, cx: &ToolContext) {
    let limits = limits(spec);
    if !limits.surely_hold(output) {
        *output = shortened(spec, limits, truncate, std::mem::replace(output, ToolOutput::text("")), cx);
    }
}

/// An output, cut if it is too long; the whole text goes into a file of the session.
///
/// It is written here and now, since that takes no longer than to send it.
fn shortened(spec: &ToolSpec, limits: Limits, truncate: Truncate, output: ToolOutput, cx: &ToolContext) -> ToolOutput {
    if output.is_already_cut() && limits.max_lines >= DEFAULT_MAX_LINES && limits.max_bytes >= DEFAULT_MAX_BYTES {
        return output;
    }
    match TooLong::check(output, truncate, limits) {
        Ok(long) => {
            let file = cx.session().spill(long.text());
            long.shorten(file, spec.overrides)
        }
        Err(output) => output,
    }
}
