//! One call, which always ends in an output.

mod guard;
#[cfg(feature = "command")]
mod own;
#[cfg(feature = "tracing")]
mod span;

use std::borrow::Cow;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Map, Value, value::RawValue};

use crate::context::ToolContext;
#[cfg(feature = "pi")]
use crate::context::block_on;
use crate::error::ToolError;
use crate::host::Dialog;
use crate::output::ToolOutput;
use crate::pipeline;
use crate::policy::{Decision, Policy};
use crate::queue::Held;
use crate::schema::Parameters;
use crate::session::Locked;
use crate::spec::{DEFAULT_MAX_BYTES, DEFAULT_MAX_LINES, ToolSpec, Truncate};
use crate::tool::{Body, Call, Entry, Finished, StartError, Started, ToolRef};
use crate::toolbox::Arguments;
use crate::truncate::{Limits, TooLong};

use self::guard::{Failed, expired};

pub(crate) use self::guard::{cancelled, guard};
pub(crate) use crate::queue::aborted;

/// The arguments of a call: as they came, with what says whether it may run; or of one that may, checked, and only to be
/// decoded.
#[derive(Clone, Copy)]
pub(crate) enum Given<'a> {
    Text(&'a Arguments<'a>, &'a Policy),
    Permitted(&'a RawValue),
}

/// A call that gave something back. Its states are not the session's yet: who looks at the output may still find that it
/// is a failure.
pub(crate) struct Ended {
    pub(crate) output: ToolOutput,
    states: Option<Box<(Locked, Map<String, Value>)>>,
}

impl Ended {
    /// The output; that of a success has stored the states.
    pub(crate) fn commit(self) -> ToolOutput {
        if let Some(states) = self.states
            && !self.output.is_error()
        {
            let (locked, states) = *states;
            locked.commit(states);
        }
        self.output
    }
}

impl From<Failed> for Ended {
    fn from(failed: Failed) -> Self {
        Self { output: ToolOutput::thrown(failed.into()), states: None }
    }
}

// What stands around a call is made of functions that give back a future, and not of `async fn`: that has room for each
// argument twice, and all of a future is copied to where it is awaited.

/// Runs a call to its end: a result, an error, a panic, or the end of the grace after a cancellation.
pub(crate) fn run<'a>(
    entry: &'a Entry,
    arguments: Given<'a>,
    cx: &'a ToolContext,
) -> impl Future<Output = Result<Ended, Failed>> {
    let call = supervise(entry, arguments, cx);
    #[cfg(feature = "tracing")]
    let call = span::traced(entry.spec, cx, call);
    call
}

#[expect(clippy::manual_async_fn, reason = "it would keep its arguments twice")]
fn supervise<'a>(
    entry: &'a Entry,
    arguments: Given<'a>,
    cx: &'a ToolContext,
) -> impl Future<Output = Result<Ended, Failed>> {
    async move {
        if cx.is_cancelled() {
            return Err(aborted().into());
        }
        // Whatever the call ends in, its child processes end with it, also those of a thread that goes on.
        #[cfg(feature = "command")]
        let own = entry.tool.takes_context().then(|| Box::new(own::Own::of(cx)));
        #[cfg(feature = "command")]
        let cx = own.as_deref().map_or(cx, |own| own);
        let panicked = "it panicked. This is a fault of the tool, not of the call";
        let is_begun = AtomicBool::new(false);
        // What a call leaves is large beside a small call: it is put here, and not handed from poll to poll.
        let mut ended = None;
        {
            // Pinned here, because what is passed on by value takes its place twice.
            let work = pin!(Some(call(entry, arguments, cx, &is_begun, &mut ended)));
            guard(entry.spec, panicked, work, || expired(entry.spec, cx, &is_begun)).await?;
        }
        Ok(ended.expect("a call that succeeds leaves something"))
    }
}

/// Runs the tool with the states of the session, if it may run.
///
/// Boxed is all that few calls wait for: it would make the future of every call larger.
#[expect(clippy::manual_async_fn, reason = "it would keep its arguments twice")]
fn call<'a>(
    entry: &'a Entry,
    arguments: Given<'a>,
    cx: &'a ToolContext,
    is_begun: &'a AtomicBool,
    ended: &'a mut Option<Ended>,
) -> impl Future<Output = Result<(), ToolError>> {
    async move {
        let locked = match &entry.state_keys[..] {
            [] => Locked::none(),
            keys => Box::pin(cx.session().lock(keys)).await,
        };
        let result = 'body: {
            let mut checked = None;
            let started = begin(entry, arguments, &mut checked, &locked, cx);
            let (arguments, policy, started) = started.map_err(|error| refuse(entry.spec, error, cx))?;
            if let Some(policy) = policy {
                let tool = ToolRef { entry };
                let decision = if policy.reads_arguments(entry.spec) {
                    Box::pin(permit(policy, tool, arguments, cx)).await?
                } else {
                    policy.decision(tool, &Value::Null)
                };
                if let Some(output) = decision.refusal() {
                    break 'body Ok(Finished::new(output));
                }
            }
            match started {
                Started { body: Body::Async(body), files } if files.is_empty() => {
                    is_begun.store(true, Ordering::Relaxed);
                    body.await
                }
                started => Box::pin(in_turn(entry.spec, started, cx, is_begun)).await?,
            }
        };
        *ended = Some(finish(entry.spec, result, locked, cx)?);
        Ok(())
    }
}

/// What a body leaves, cut where it is too long.
fn finish(
    spec: &ToolSpec,
    result: Result<Finished, ToolError>,
    locked: Locked,
    cx: &ToolContext,
) -> Result<Ended, ToolError> {
    let Finished { output, states } = result.map_err(|error| shorten_error(spec, spec.truncate, error, cx))?;
    let output = shorten(spec, spec.truncate, output, cx);
    Ok(match states {
        Some(states) if !output.is_error() => {
            Ended { output: output.with_states((*states).clone()), states: Some(Box::new((locked, *states))) }
        }
        _ => Ended { output, states: None },
    })
}

/// Why a call did not run. The reasons come first, so of a long error the beginning is kept.
pub(crate) fn refuse(spec: &ToolSpec, error: ToolError, cx: &ToolContext) -> ToolError {
    let truncate = if spec.truncate == Truncate::None { Truncate::None } else { Truncate::Head };
    shorten_error(spec, truncate, error, cx)
}

fn shorten_error(spec: &ToolSpec, truncate: Truncate, error: ToolError, cx: &ToolContext) -> ToolError {
    let (message, details) = error.into_parts();
    let error = ToolError::new(shorten(spec, truncate, ToolOutput::error(message), cx).take_text());
    match details {
        Some(details) => error.with_details(details),
        None => error,
    }
}

/// Cuts an output that is longer than the tool allows; the whole text goes into a file of the session.
///
/// It is written here and now, since that takes no longer than to send it.
fn shorten(spec: &ToolSpec, truncate: Truncate, output: ToolOutput, cx: &ToolContext) -> ToolOutput {
    let limits = Limits { max_lines: spec.max_lines, max_bytes: spec.max_bytes };
    let allows_as_much = spec.max_lines >= DEFAULT_MAX_LINES && spec.max_bytes >= DEFAULT_MAX_BYTES;
    if limits.surely_hold(&output) || output.is_already_cut() && allows_as_much {
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

/// Starts a call with arguments as they come, or with what the check makes of them. The policy is still to be asked.
fn begin<'a>(
    entry: &'a Entry,
    arguments: Given<'a>,
    checked: &'a mut Option<Box<RawValue>>,
    states: &'a Locked,
    cx: &'a ToolContext,
) -> Result<(&'a str, Option<&'a Policy>, Started<'a>), ToolError> {
    let (given, policy) = match arguments {
        Given::Text(given, policy) => (given, policy),
        Given::Permitted(arguments) => {
            let arguments = arguments.get();
            return Ok((arguments, None, start(entry, Call { arguments, states, cx })?));
        }
    };
    let text = given.as_str();
    if !policy.reads_arguments(entry.spec)
        && let Some(started) = start_unchecked(entry, Call { arguments: text, states, cx })?
    {
        return Ok((text, Some(policy), started));
    }
    let arguments = checked.insert(check(entry, given.raw(entry.spec.name)?, given.is_prepared)?).get();
    Ok((arguments, Some(policy), start(entry, Call { arguments, states, cx })?))
}

/// Whether a call may run whose arguments are in order: what the policy says, and then the user, if the tool asks.
pub(crate) async fn permit(
    policy: &Policy,
    tool: ToolRef<'_>,
    arguments: &str,
    cx: &ToolContext,
) -> Result<Decision, ToolError> {
    if !policy.reads_arguments(tool.spec()) {
        return Ok(policy.decision(tool, &Value::Null));
    }
    let decided = async {
        let arguments = serde_json::from_str(arguments)?;
        let decision = policy.decision(tool, &arguments);
        if decision == Decision::Run
            && let Some(question) = policy.question(tool, &arguments)
        {
            let answer = cx.host().confirm(Dialog::new(cx.call_id(), &question), "").await;
            return Ok(Decision::answered(&question, answer));
        }
        Ok(decision)
    };
    let panicked = "what decides whether it may run panicked. This is a fault of the application, not of the call";
    let cancelled = || {
        Some(async {
            cx.cancelled().await;
            aborted()
        })
    };
    let decision = guard(tool.spec(), panicked, pin!(Some(decided)), cancelled).await?;
    // What was decided after a cancellation does not count.
    if cx.is_cancelled() { Err(aborted()) } else { Ok(decision) }
}

/// The arguments of a call that runs later, or all that is wrong with them. A host that shows them to somebody needs them
/// checked, also where a call would do without.
pub(crate) async fn prepare<'a>(
    entry: &Entry,
    arguments: &'a RawValue,
    is_shown: bool,
    cx: &ToolContext,
) -> Result<Cow<'a, RawValue>, ToolError> {
    let panicked = "what prepares or decodes its arguments panicked. This is a fault of the tool, not of the call";
    let prepared = async {
        // The call itself reads the states; here they are their defaults.
        let states = &Locked::none();
        if !is_shown && start_unchecked(entry, Call { arguments: arguments.get(), states, cx })?.is_some() {
            return Ok(Cow::Borrowed(arguments));
        }
        let checked = check(entry, arguments, false)?;
        start(entry, Call { arguments: checked.get(), states, cx })?;
        Ok(Cow::Owned(checked))
    };
    let expired = || None::<std::future::Pending<ToolError>>;
    let prepared = guard(entry.spec, panicked, pin!(Some(prepared)), expired).await;
    prepared.map_err(|failed| refuse(entry.spec, failed.into(), cx))
}

/// Starts a call whose arguments decode as they come, if that is all the check they need.
fn start_unchecked<'a>(entry: &'a Entry, call: Call<'a>) -> Result<Option<Started<'a>>, ToolError> {
    if entry.must_check() {
        return Ok(None);
    }
    match entry.tool.start(call) {
        Ok(started) => Ok(Some(started)),
        Err(StartError::Tool(error)) => Err(error.of_tool(entry.spec.name)),
        // The long way finds out all that is wrong, or what stands in the way of decoding.
        Err(StartError::Decode(_)) => Ok(None),
    }
}

fn check(entry: &Entry, arguments: &RawValue, is_prepared: bool) -> Result<Box<RawValue>, ToolError> {
    pipeline::check(entry.spec, arguments, parameters(entry)?, is_prepared)
}

fn parameters(entry: &Entry) -> Result<&Parameters, ToolError> {
    entry.parameters().map_err(|error| ToolError::from(error.clone()).of_tool(entry.spec.name))
}

/// What a tool and old names make of arguments, for a host that then checks them itself.
#[cfg(feature = "pi")]
pub(crate) fn prepare_alone(entry: &Entry, arguments: &RawValue) -> Result<Value, ToolError> {
    let panicked = "what prepares its arguments panicked. This is a fault of the tool, not of the call";
    let prepared = async { pipeline::prepare(entry.spec, arguments, parameters(entry)?) };
    let expired = || None::<std::future::Pending<ToolError>>;
    Ok(block_on(guard(entry.spec, panicked, pin!(Some(prepared)), expired))?)
}

fn start<'a>(entry: &'a Entry, call: Call<'a>) -> Result<Started<'a>, ToolError> {
    entry.tool.start(call).map_err(|error| match error {
        StartError::Tool(error) => error.of_tool(entry.spec.name),
        StartError::Decode(error) => pipeline::undecodable(entry.spec, call.arguments, &error),
    })
}

/// Runs the body when it is its turn to change its files, which are its own until it ends: on a thread that may be after
/// the call.
async fn in_turn(
    spec: &ToolSpec,
    Started { body, files }: Started<'_>,
    cx: &ToolContext,
    is_begun: &AtomicBool,
) -> Result<Result<Finished, ToolError>, ToolError> {
    let mut held = Held::of_files(files).map_err(|error| error.of_tool(spec.name))?;
    held.turn_of(cx).await?;
    is_begun.store(true, Ordering::Relaxed);
    Ok(match body {
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
    })
}
