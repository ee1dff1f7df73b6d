//! How far a call comes when it is first looked at.

use std::task::{Context, Poll};

use serde_json::Value;

use super::{Given, NO_STATES, finish, refuse, start, start_unchecked};
use crate::context::ToolContext;
use crate::error::ToolError;
use crate::session::Locked;
use crate::tool::{Body, Call, Entry, Finished, Started, ToolRef};

/// How far a call comes without waiting.
pub(super) enum First<'a> {
    /// Its result is there.
    Over,
    /// Its arguments are in order and it may run. A body that was polled waits.
    Started(Started<'a>, IsPolled),
    /// Not even that: it needs more than its arguments, or these are not known to decode as they come.
    Nowhere(Decodes),
}

pub(super) type IsPolled = bool;

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
    arguments: Given<'a>,
    cx: &'a ToolContext,
    task: &mut Context<'_>,
    result: &mut Poll<Result<Finished, ToolError>>,
) -> First<'a> {
    let has_own = cfg!(feature = "command") && entry.tool.takes_context();
    if has_own || !entry.state_keys.is_empty() || cx.is_cancelled() {
        return First::Nowhere(Decodes::Maybe);
    }
    let states = &NO_STATES;
    let started = match arguments {
        Given::Permitted(arguments) => start(entry, Call { arguments: arguments.get(), states, cx }).map(Some),
        Given::Text(_, policy) if policy.reads_arguments(entry.spec) => return First::Nowhere(Decodes::Maybe),
        Given::Text(given, _) => start_unchecked(entry, Call { arguments: given.as_str(), states, cx }),
    };
    let mut started = match started {
        Ok(Some(started)) => started,
        Ok(None) => return First::Nowhere(Decodes::Not),
        Err(error) => {
            *result = Poll::Ready(Err(refuse(entry.spec, error, cx)));
            return First::Over;
        }
    };
    let refusal = match arguments {
        Given::Text(_, policy) if !policy.is_empty() => policy.decision(ToolRef { entry }, &Value::Null).refusal(),
        _ => None,
    };
    match (refusal, &mut started) {
        (Some(output), _) => *result = Poll::Ready(Ok(Finished::new(output))),
        (None, Started { body: Body::Async(body), files }) if files.is_empty() => *result = body.as_mut().poll(task),
        (None, _) => return First::Started(started, false),
    }
    match result {
        Poll::Ready(result) => finish(entry.spec, result, Locked::none, cx),
        Poll::Pending => return First::Started(started, true),
    }
    First::Over
}
