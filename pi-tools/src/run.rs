//! One call, which always ends in an output.

mod first;
mod guard;
#[cfg(feature = "command")]
mod own;
mod shorten;
#[cfg(feature = "tracing")]
mod span;

use std::borrow::Cow;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use serde_json::{Value, value::RawValue};

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
use crate::spec::ToolSpec;
use crate::tool::{Arguments, Body, Call, End, Entry, Finished, Stage, StartError, Started, ToolRef};

use self::first::{Decodes, first};
use self::guard::{caught, expired};
use self::shorten::{shorten, shorten_error};

pub(crate) use self::guard::{Failed, cancelled, guard};
pub(crate) use self::shorten::refuse;
pub(crate) use crate::queue::aborted;

/// The arguments of a call: as they came, with what says whether it may run; or of one that may, checked, and only to be
/// decoded.
pub(crate) enum Given<'a> {
    Text(Arguments<'a>, &'a Policy),
    Permitted(&'a RawValue),
}

impl Given<'_> {
    pub(crate) fn owns(&self) -> bool {
        matches!(self, Self::Text(arguments, _) if arguments.borrowed().is_none())
    }

    pub(crate) fn lent(&self) -> Given<'_> {
        match self {
            Self::Text(arguments, policy) => Given::Text(arguments.lent(), policy),
            Self::Permitted(arguments) => Given::Permitted(arguments),
        }
    }
}

impl Default for Given<'_> {
    fn default() -> Self {
        Self::Permitted(RawValue::NULL)
    }
}

impl Finished {
    /// The output; that of a success has stored the states.
    pub(crate) fn commit(self) -> ToolOutput {
        if let Some(states) = self.states
            && !self.output.is_error()
        {
            let (states, locked) = *states;
            locked.commit(states);
        }
        self.output
    }
}

impl From<Failed> for Finished {
    fn from(failed: Failed) -> Self {
        Self::new(ToolOutput::thrown(failed.into()))
    }
}

static NO_STATES: Locked = Locked::none();

/// What a call that goes on has left to do.
pub(crate) type Rest<'a> = Pin<Box<dyn Future<Output = Ended> + Send + 'a>>;

/// What a call ends in.
pub(crate) type Ended = Result<Finished, Failed>;

/// What is said of a call in which a tool panics.
const PANICKED: &str = "it panicked. This is a fault of the tool, not of the call";

/// Runs a call to its end: a result, an error, a panic, or the end of the grace after a cancellation.
pub(crate) fn run<'a>(entry: &'a Entry, mut given: Given<'a>, cx: &'a ToolContext) -> impl Future<Output = Ended> {
    to_its_end(move |task, end| start_call(entry, &mut given, cx, task, end))
}

fn to_its_end<'a>(
    mut first: impl FnMut(&mut Context<'_>, &mut End) -> Result<Option<Rest<'a>>, Failed>,
) -> impl Future<Output = Ended> {
    let first = move |task: &mut Context<'_>, ended: &mut Poll<Ended>| {
        let mut end = Poll::Pending;
        let rest = first(task, &mut end);
        *ended = end.map(|output| Ok(Finished::new(output)));
        rest
    };
    in_steps(first, std::convert::identity)
}

/// A call that `first` looks at when it is first polled: it is over and has left its end, or has something left to do.
///
/// An end is large beside a small call, and so is what a call is made of: both stay in their places and are not handed on.
pub(crate) fn in_steps<'a, T>(
    mut first: impl FnMut(&mut Context<'_>, &mut Poll<T>) -> Result<Option<Rest<'a>>, Failed>,
    ended: impl Fn(Ended) -> T,
) -> impl Future<Output = T> {
    let (mut is_new, mut rest) = (true, None);
    poll_fn(move |task| {
        let mut end = Poll::Pending;
        if std::mem::take(&mut is_new) {
            match first(task, &mut end) {
                Ok(left) => rest = left,
                Err(failed) => end = Poll::Ready(ended(Err(failed))),
            }
        }
        if let Some(rest) = &mut rest {
            end = rest.as_mut().poll(task).map(&ended);
        }
        end
    })
}

/// The first look at a call, for [`in_steps`].
#[cfg_attr(feature = "tracing", expect(clippy::unnecessary_wraps, reason = "without spans it may fail"))]
pub(crate) fn start_call<'a>(
    entry: &'a Entry,
    given: &mut Given<'a>,
    cx: &'a ToolContext,
    task: &mut Context<'_>,
    end: &mut End,
) -> Result<Option<Rest<'a>>, Failed> {
    // A span is around all of a call, so nothing of it is looked at before.
    #[cfg(feature = "tracing")]
    return {
        _ = (task, end);
        let mut given = std::mem::take(given);
        let call = to_its_end(move |task, end| guarded_first(entry, &mut given, cx, task, end));
        Ok(Some(Box::pin(span::traced(entry.spec, cx, call))))
    };
    #[cfg(not(feature = "tracing"))]
    guarded_first(entry, given, cx, task, end)
}

fn guarded_first<'a>(
    entry: &'a Entry,
    given: &mut Given<'a>,
    cx: &'a ToolContext,
    task: &mut Context<'_>,
    end: &mut End,
) -> Result<Option<Rest<'a>>, Failed> {
    caught(entry.spec, PANICKED, || first(entry, given, cx, task, end))?.map_err(Failed::from)
}

/// The rest of a call that has started.
async fn go_on(spec: &ToolSpec, started: Started<'_>, is_polled: bool, cx: &ToolContext) -> Result<Finished, Failed> {
    let is_begun = AtomicBool::new(is_polled);
    let work = async {
        let mut result = match started {
            Started { body: Body::Async(body), .. } if is_polled => polled(body).await,
            started => in_turn(spec, started, &NO_STATES, cx, &is_begun).await?,
        };
        finish(spec, &mut result, Locked::none, cx);
        result
    };
    guard(spec, PANICKED, pin!(Some(work)), || expired(spec, cx, &is_begun)).await
}

/// A future that has just been polled, and not in vain: it is not polled again before it is woken.
fn polled<F: Future + Unpin>(mut future: F) -> impl Future<Output = F::Output> {
    let mut is_new = true;
    poll_fn(move |task| if std::mem::take(&mut is_new) { Poll::Pending } else { Pin::new(&mut future).poll(task) })
}

/// A whole call.
async fn supervise(
    entry: &Entry,
    arguments: Given<'_>,
    decodes: Decodes,
    cx: &ToolContext,
) -> Result<Finished, Failed> {
    if cx.is_cancelled() {
        return Err(aborted().into());
    }
    // Whatever the call ends in, its child processes end with it, also those of a thread that goes on.
    #[cfg(feature = "command")]
    let own = entry.tool.takes_context().then(|| own::Own::of(cx));
    #[cfg(feature = "command")]
    let cx = own.as_deref().unwrap_or(cx);
    let is_begun = AtomicBool::new(false);
    let work = pin!(Some(call(entry, arguments, decodes, cx, &is_begun)));
    guard(entry.spec, PANICKED, work, || expired(entry.spec, cx, &is_begun)).await
}

/// Runs the tool with the states of the session, if it may run.
async fn call(
    entry: &Entry,
    arguments: Given<'_>,
    decodes: Decodes,
    cx: &ToolContext,
    is_begun: &AtomicBool,
) -> Result<Finished, ToolError> {
    let locked = cx.session().lock(&entry.state_keys, cx.call_id_shared()).await;
    let locked = locked.map_err(|error| error.of_tool(entry.spec.name))?;
    let mut result = 'body: {
        let mut checked = None;
        let started = begin(entry, &arguments, decodes, &mut checked, &locked, cx);
        let (arguments, policy, started) = started.map_err(|error| refuse(entry.spec, error, cx))?;
        if let Some(policy) = policy
            && let Some(output) = permit(policy, ToolRef { entry }, arguments, cx).await?.refusal()
        {
            break 'body Ok(Finished::new(output));
        }
        in_turn(entry.spec, started, &locked, cx, is_begun).await?
    };
    finish(entry.spec, &mut result, || locked, cx);
    result
}

/// Cuts what a body leaves where it is too long. The states of a success stay locked.
fn finish(
    spec: &ToolSpec,
    result: &mut Result<Finished, ToolError>,
    locked: impl FnOnce() -> Locked,
    cx: &ToolContext,
) {
    let Finished { output, states } = match result {
        Ok(finished) => finished,
        Err(error) => {
            let whole = std::mem::replace(error, ToolError::new(""));
            *error = shorten_error(spec, spec.truncate, whole, cx);
            return;
        }
    };
    shorten(spec, spec.truncate, output, cx);
    if output.is_error() {
        *states = None;
    }
    if let Some(states) = states {
        output.add_states(states.0.clone());
        states.1 = locked();
    }
}

/// Starts a call with arguments as they come, or with what the check makes of them. The policy is still to be asked.
fn begin<'a>(
    entry: &'a Entry,
    arguments: &'a Given<'_>,
    decodes: Decodes,
    checked: &'a mut Option<Box<RawValue>>,
    states: &'a Locked,
    cx: &'a ToolContext,
) -> Result<(&'a str, Option<&'a Policy>, Started<'a>), ToolError> {
    let (given, policy) = match arguments {
        Given::Text(given, policy) => (given, *policy),
        Given::Permitted(arguments) => {
            let arguments = arguments.get();
            return Ok((arguments, None, start(entry, Call { arguments, states, cx })?));
        }
    };
    let text = given.as_str();
    if decodes == Decodes::Maybe
        && !policy.reads_arguments(entry.spec)
        && let Some(started) = start_unchecked(entry, Call { arguments: text, states, cx })?
    {
        return Ok((text, Some(policy), started));
    }
    let arguments = checked.insert(check(entry, given.raw(entry.spec.name)?, given.stage == Stage::Prepared)?).get();
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
        let states = &NO_STATES;
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
    match entry.start(call) {
        Ok(started) => Ok(Some(started)),
        // The long way finds out all that is wrong, or what stands in the way of decoding.
        Err(StartError::Decode(_)) => Ok(None),
        Err(error) => Err(not_started(entry, call.arguments, error)),
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
    entry.start(call).map_err(|error| not_started(entry, call.arguments, error))
}

/// Why a call did not start whose arguments were found to be in order.
fn not_started(entry: &Entry, arguments: &str, error: StartError) -> ToolError {
    match error {
        StartError::Tool(error) => (*error).of_tool(entry.spec.name),
        StartError::Body(error) => *error,
        StartError::Decode(error) => pipeline::undecodable(entry.spec, arguments, &error),
    }
}

/// Runs the body when it is its turn to change its files, which are its own until it ends: on a thread that may be after
/// the call.
async fn in_turn(
    spec: &ToolSpec,
    Started { body, files }: Started<'_>,
    states: &Locked,
    cx: &ToolContext,
    is_begun: &AtomicBool,
) -> Result<Result<Finished, ToolError>, ToolError> {
    let body = match body {
        Body::Async(future) if files.is_none() => {
            is_begun.store(true, Ordering::Relaxed);
            return Ok(if states.is_none() { future.await } else { states.run(future).await });
        }
        body => body,
    };
    let mut held =
        Held::of_files(files.unwrap_or_default().into_vec(), cx).map_err(|error| error.of_tool(spec.name))?;
    held.turn_of(cx).await?;
    is_begun.store(true, Ordering::Relaxed);
    Ok(match body {
        Body::Async(future) => held.run(states.run(future)).await,
        Body::Blocking(body) => {
            let body = states.around(|| held.run_blocking(body));
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
