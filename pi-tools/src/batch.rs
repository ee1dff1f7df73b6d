//! All calls of one assistant message, answered as Pi does.

mod message;
mod together;
mod updates;

use std::borrow::Cow;
use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::context::ToolContext;
use crate::error::ToolError;
use crate::hooks::{Hook, Hooks};
use crate::output::{self, ToolOutput};
use crate::spec::Execution;
use crate::tool::Arguments;
use crate::toolbox::Toolbox;
use message::{Message, Record};
use updates::Updates;

/// How an application answers the calls of an assistant message: one after another or together, and with which hooks.
///
/// Built once, and used for every message. The rules are those of Pi's agent loop:
///
/// - Calls run together, unless the batch is sequential, or one of the message's tools is: says it
///   [`ToolRef::execution`](crate::ToolRef::execution).
/// - Together: all calls are prepared first, one after another. Who fails there, because there is no such tool, the
///   arguments are wrong, or a [`Hook`], the toolbox's [`Policy`](crate::Policy) or the user blocks it, ends at once.
///   Then all others begin, in the order of the calls, on the caller's task (a tool that is no `async fn` has a thread of
///   its own).
/// - One after another: a call has ended before the next is prepared. A failure stops no other call.
/// - A cancelled batch starts no more calls: they end in `Operation aborted`. Those that run have the grace of
///   [`Toolbox::call_with`]; one that ends by itself within it has its result.
/// - Every call has one result, whatever happens. An error of a tool, unlike an output that says it failed, has
///   `details: {}`.
///
/// # Example
///
/// ```
/// use pi_tools::prelude::*;
/// use pi_tools::{Batch, BatchEvent, ToolCall};
///
/// /// Wait, and say so.
/// #[pi_tool(handle = Wait, register = false)]
/// async fn wait(
///     /// How long, in milliseconds.
///     ms: u64,
///     cx: &ToolContext,
/// ) -> String {
///     cx.update("waiting");
///     tokio::time::sleep(std::time::Duration::from_millis(ms)).await;
///     format!("waited {ms} ms")
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let toolbox = Toolbox::builder().tool(Wait).build().unwrap();
/// let calls = [
///     ToolCall::new("slow", "wait", r#"{"ms":30}"#),
///     ToolCall::new("fast", "wait", r#"{"ms":1}"#),
///     ToolCall::new("lost", "weight", "{}"),
/// ];
/// let mut told = Vec::new();
/// let batch = Batch::new();
/// let output = batch
///     .run(&toolbox, &calls, &ToolContext::new(), |event| match event {
///         BatchEvent::Start { call } => told.push(format!("{} starts", call.id)),
///         BatchEvent::Update { call, output } => told.push(format!("{} is {}", call.id, output.to_text())),
///         BatchEvent::End { result } => told.push(format!("{} ends", result.call_id)),
///         _ => {}
///     })
///     .await;
/// assert_eq!(
///     told,
///     [
///         "slow starts", "fast starts", "lost starts", "lost ends",
///         "slow is waiting", "fast is waiting", "fast ends", "slow ends",
///     ],
/// );
/// let texts: Vec<String> = output.results.iter().map(|result| result.output.to_text()).collect();
/// assert_eq!(texts, ["waited 30 ms", "waited 1 ms", "Tool weight not found"]);
/// # }
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Batch {
    hooks: Hooks,
    execution: Execution,
}

impl Batch {
    /// Calls run together where their tools allow it, and nobody looks at them.
    pub fn new() -> Self {
        Self { hooks: Hooks::default(), execution: Execution::Parallel }
    }

    /// Sets whether calls run together where their tools allow it. A tool that is parallel overrules nothing.
    pub fn execution(mut self, execution: Execution) -> Self {
        self.execution = execution;
        self
    }

    /// Adds a hook, which is asked after those that are there.
    pub fn hook(mut self, hook: impl Hook) -> Self {
        self.hooks.push(hook);
        self
    }

    /// Answers the calls of a message.
    ///
    /// `on_event` is told what happens, when it happens, on this task; to have a stream, send it into a channel. The
    /// context's host gets the updates, too. Nothing is told of a call after its end.
    ///
    /// # Panics
    ///
    /// When `on_event` does. The calls are dropped then, as they are with the future.
    pub async fn run(
        &self,
        toolbox: &Toolbox,
        calls: &[ToolCall<'_>],
        cx: &ToolContext,
        on_event: impl FnMut(BatchEvent<'_>) + Send,
    ) -> BatchOutput {
        let (updates, record) = (Updates::new(calls.len()), Record::new(calls, on_event));
        let cx = &toolbox.provide(cx);
        Message { batch: self, toolbox, calls, cx, updates, record }.answer().await
    }

    /// Answers the calls of a message that was cut at the model's output limit. None of them runs, because its arguments
    /// may be incomplete and still be JSON; the model reads that it must make them again.
    ///
    /// ```
    /// use pi_tools::{Batch, ToolCall};
    ///
    /// let output = Batch::answer_cut(&[ToolCall::new("1", "write", r#"{"path":"a","content":""}"#)], |_| {});
    /// assert!(output.results[0].output.to_text().starts_with("Tool call \"write\" was not executed"));
    /// ```
    pub fn answer_cut(calls: &[ToolCall<'_>], on_event: impl FnMut(BatchEvent<'_>)) -> BatchOutput {
        let mut record = Record::new(calls, on_event);
        for (index, ToolCall { name, .. }) in calls.iter().enumerate() {
            let error = format!(
                "Tool call \"{name}\" was not executed: the response hit the output token limit, so its arguments may \
                 be truncated. Re-issue the tool call with complete arguments."
            );
            record.start(index);
            record.end(index, ToolOutput::thrown(ToolError::new(error)), None);
            record.message(index);
        }
        record.finish()
    }
}

impl Default for Batch {
    fn default() -> Self {
        Self::new()
    }
}

/// One call of an assistant message.
#[derive(Clone, Debug)]
pub struct ToolCall<'a> {
    /// The id that the model's provider gave it. Nothing depends on it being unique.
    pub id: Cow<'a, str>,
    /// The name of the tool.
    pub name: Cow<'a, str>,
    /// The arguments, as the model wrote them.
    pub arguments: Arguments<'a>,
}

impl<'a> ToolCall<'a> {
    /// A call of a tool.
    pub fn new(
        id: impl Into<Cow<'a, str>>,
        name: impl Into<Cow<'a, str>>,
        arguments: impl Into<Arguments<'a>>,
    ) -> Self {
        Self { id: id.into(), name: name.into(), arguments: arguments.into() }
    }
}

/// What happens while a batch is answered.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum BatchEvent<'a> {
    /// A call begins to be prepared.
    Start {
        /// The call.
        call: &'a ToolCall<'a>,
    },
    /// A running call shows what it has so far.
    Update {
        /// The call.
        call: &'a ToolCall<'a>,
        /// What it has.
        output: &'a ToolOutput,
    },
    /// A call has ended. Of calls that run together, who ends first is told first.
    End {
        /// How.
        result: &'a ToolResult,
    },
    /// A result can join the transcript: in the order of the calls, of calls that run together after the last has ended.
    Message {
        /// The result.
        result: &'a ToolResult,
    },
}

/// What a call of a batch ended in.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolResult {
    /// The call's id.
    pub call_id: String,
    /// The name that was called.
    pub tool_name: String,
    /// What the tool gave back, or the error that the call ended in.
    pub output: ToolOutput,
    /// How long the tool ran; `None` if it did not.
    pub duration: Option<Duration>,
}

impl ToolResult {
    /// The message that Pi stores of it, but for the time of day: `content` for the model, `details` for later restores
    /// ([`Session::restore`](crate::Session::restore)), and no `terminate`.
    ///
    /// ```
    /// use pi_tools::{Batch, ToolCall};
    ///
    /// let output = Batch::answer_cut(&[ToolCall::new("1", "write", "{")], |_| {});
    /// let message = output.results[0].to_message();
    /// assert_eq!(message["role"], "toolResult");
    /// assert_eq!(message["isError"], true);
    /// ```
    #[must_use]
    pub fn to_message(&self) -> Value {
        let Self { call_id, tool_name, output, duration } = self;
        let mut message = Map::new();
        message.insert("role".into(), "toolResult".into());
        message.insert("toolCallId".into(), call_id.as_str().into());
        message.insert("toolName".into(), tool_name.as_str().into());
        message.insert("content".into(), json!(output::plain(output.content())));
        if let Some(details) = output.details() {
            message.insert("details".into(), details.clone());
        }
        if let Some(usage) = output.usage() {
            message.insert("usage".into(), usage.clone());
        }
        message.insert("isError".into(), output.is_error().into());
        if let Some(duration) = duration {
            let rounded = (*duration + Duration::from_micros(500)).as_millis();
            message.insert("durationMs".into(), u64::try_from(rounded).unwrap_or(u64::MAX).into());
        }
        message.into()
    }
}

/// What a batch ended in.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct BatchOutput {
    /// One result a call, in the order of the calls.
    pub results: Vec<ToolResult>,
    /// Whether the agent may stop here, without asking the model again: there are results, and all of them
    /// [say so](ToolOutput::with_terminate). An error says it only if the tool does.
    pub terminate: bool,
}

impl Toolbox {
    /// Answers all calls of one assistant message in the toolbox's own session, as Pi does. [`Batch`] does it in a given
    /// context, with hooks, and tells what happens meanwhile.
    ///
    /// ```
    /// # use pi_tools::prelude::*;
    /// # /// Greet someone by name.
    /// # #[pi_tool(handle = Greet, register = false)]
    /// # fn greet(
    /// #     /// Whom to greet.
    /// #     name: String,
    /// # ) -> String {
    /// #     format!("Hello, {name}!")
    /// # }
    /// use pi_tools::ToolCall;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let toolbox = Toolbox::builder().tool(Greet).build().unwrap();
    /// let calls =
    ///     [ToolCall::new("1", "greet", r#"{"name":"Ada"}"#), ToolCall::new("2", "greet", r#"{"name":"Grace"}"#)];
    /// let [ada, grace] = &toolbox.run_batch(&calls).await.results[..] else { unreachable!() };
    /// assert_eq!(ada.output.to_text(), "Hello, Ada!");
    /// assert_eq!(grace.output.to_text(), "Hello, Grace!");
    /// # }
    /// ```
    pub async fn run_batch(&self, calls: &[ToolCall<'_>]) -> BatchOutput {
        Batch::new().run(self, calls, self.context(), |_| {}).await
    }
}
