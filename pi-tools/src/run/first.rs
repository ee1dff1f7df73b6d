//! How far a call comes when it is first looked at.

use std::task::{Context, Poll};

use serde_json::Value;

use super::shorten::{refuse, shorten, shorten_error};
use super::{Given, NO_STATES, Rest, go_on, not_started, supervise};
use crate::context::ToolContext;
use crate::error::ToolError;
use crate::tool::{Body, Call, End, Entry, StartError, Started, ToolRef};

/// Whether arguments may decode as they come: if not, all is checked that can be wrong with them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Decodes {
    Maybe,
    Not,
}

/// Most calls are small: they need nothing but their arguments, and wait for nothing. Such a call is over when this
/// returns, and has room for nothing else. What any other has left to do is boxed.
pub(super) fn first<'a>(
    entry: &'a Entry,
    given: &mut Given<'a>,
    cx: &'a ToolContext,
    task: &mut Context<'_>,
    end: &mut End,
) -> Result<Option<Rest<'a>>, ToolError> {
    let spec = entry.spec;
    let all = |decodes, given: &mut Given<'a>| {
        Ok(Some(Box::pin(supervise(entry, std::mem::take(given), decodes, cx)) as Rest<'a>))
    };
    if !entry.is_plain || cx.is_cancelled() {
        return all(Decodes::Maybe, given);
    }
    let (text, policy) = match given {
        Given::Permitted(arguments) => (arguments.get(), None),
        // What is owned has not been lent.
        Given::Text(arguments, policy) => match arguments.borrowed() {
            Some(text) if !policy.reads_arguments(spec) => (text, Some(*policy)),
            _ => return all(Decodes::Maybe, given),
        },
    };
    if policy.is_some() && entry.must_check() {
        return all(Decodes::Not, given);
    }
    // What a policy may block does not run yet.
    let policy = policy.filter(|policy| !policy.is_empty());
    let place = policy.is_none().then_some(&mut *end);
    let started = match entry.tool.start(Call { arguments: text, states: &NO_STATES, cx }, place) {
        Ok(started) => started,
        Err(StartError::Decode(_)) if matches!(given, Given::Text(..)) => return all(Decodes::Not, given),
        Err(StartError::Body(error)) => return Err(shorten_error(spec, spec.truncate, *error, cx)),
        Err(error) => return Err(refuse(spec, not_started(entry, text, error), cx)),
    };
    if let Some(started) = started {
        if let Some(output) = policy.and_then(|policy| policy.decision(ToolRef { entry }, &Value::Null).refusal()) {
            *end = Poll::Ready(output);
        } else if let Started { body: Body::Async(mut body), files: None } = started {
            match body.as_mut().poll(task) {
                Poll::Ready(Ok(finished)) => *end = Poll::Ready(finished.output),
                Poll::Ready(Err(error)) => return Err(shorten_error(spec, spec.truncate, error, cx)),
                Poll::Pending => {
                    let started = Started { body: Body::Async(body), files: None };
                    return Ok(Some(Box::pin(go_on(spec, started, true, cx))));
                }
            }
        } else {
            return Ok(Some(Box::pin(go_on(spec, started, false, cx))));
        }
    }
    if let Poll::Ready(output) = end {
        shorten(spec, spec.truncate, output, cx);
    }
    Ok(None)
}
