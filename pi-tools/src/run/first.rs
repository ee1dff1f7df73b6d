//! How far a call comes when it is first looked at.

use std::task::{Context, Poll};

use serde_json::Value;

use super::{Given, NO_STATES, Rest, finish, go_on, limits, refuse, start, supervise};
use crate::context::ToolContext;
use crate::error::ToolError;
use crate::session::Locked;
use crate::tool::{Body, Call, Entry, Finished, StartError, Started, ToolRef};

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
) -> Option<Rest<'a>> {
    let all = |decodes| Some(Box::pin(supervise(entry, arguments, decodes, cx)) as Rest<'a>);
    if !entry.is_plain || cx.is_cancelled() {
        return all(Decodes::Maybe);
    }
    let states = &NO_STATES;
    let mut refused = |error| {
        *result = Poll::Ready(Err(refuse(entry.spec, error, cx)));
        None
    };
    let started = match arguments {
        Given::Permitted(arguments) => match start(entry, Call { arguments: arguments.get(), states, cx }) {
            Ok(started) => started,
            Err(error) => return refused(error),
        },
        Given::Text(_, policy) if policy.reads_arguments(entry.spec) => return all(Decodes::Maybe),
        Given::Text(..) if entry.must_check() => return all(Decodes::Not),
        Given::Text(given, _) => match entry.tool.start(Call { arguments: given.as_str(), states, cx }) {
            Ok(started) => started,
            Err(StartError::Tool(error)) => return refused((*error).of_tool(entry.spec.name)),
            Err(StartError::Decode(_)) => return all(Decodes::Not),
        },
    };
    if let Given::Text(_, policy) = arguments
        && !policy.is_empty()
        && let Some(output) = policy.decision(ToolRef { entry }, &Value::Null).refusal()
    {
        let mut refusal = Ok(Finished::new(output));
        finish(entry.spec, &mut refusal, Locked::none, cx);
        *result = Poll::Ready(refusal);
        return None;
    }
    let mut body = match started {
        Started { body: Body::Async(body), files: None } => body,
        started => return Some(Box::pin(go_on(entry.spec, started, false, cx))),
    };
    *result = body.as_mut().poll(task);
    match result {
        // Nothing is to be done with it.
        Poll::Ready(Ok(Finished { output, states: None })) if limits(entry.spec).surely_hold(output) => None,
        Poll::Ready(result) => {
            finish(entry.spec, result, Locked::none, cx);
            None
        }
        Poll::Pending => {
            let started = Started { body: Body::Async(body), files: None };
            Some(Box::pin(go_on(entry.spec, started, true, cx)))
        }
    }
}
