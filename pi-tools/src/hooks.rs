//! What an application does before and after each call of a batch.

use std::fmt;
use std::pin::{Pin, pin};
use std::sync::Arc;

use serde_json::Value;

use crate::context::ToolContext;
use crate::error::ToolError;
use crate::output::ToolOutput;
use crate::policy::Decision;
use crate::run;
use crate::tool::ToolRef;

/// Looks at the calls of a [`Batch`](crate::Batch): may forbid them, and change their arguments and outputs.
///
/// Both functions may wait, for a question to a person, say; a cancellation leaves them the same grace as a tool. A panic
/// is an error like any other. Pi's handlers `tool_call` and `tool_result` follow the same rules.
///
/// # Example
///
/// ```
/// use pi_tools::prelude::*;
/// use pi_tools::{Batch, Decision, Hook, ToolCall, ToolRef};
/// use serde_json::Value;
///
/// /// Remove a file.
/// #[pi_tool(destructive = true, handle = Remove, register = false)]
/// fn remove(
///     /// Which.
///     path: String,
/// ) -> String {
///     format!("Removed {path}")
/// }
///
/// /// Keeps what is there.
/// struct Guard;
///
/// impl Hook for Guard {
///     async fn before(&self, tool: ToolRef<'_>, _: &mut Value, _: &ToolContext) -> Result<Decision, ToolError> {
///         let is_harmless = tool.spec().destructive != Some(true);
///         Ok(if is_harmless { Decision::Run } else { Decision::block("nothing may be removed here") })
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let toolbox = Toolbox::builder().tool(Remove).build().unwrap();
/// let calls = [ToolCall::new("1", "remove", r#"{"path":"/"}"#)];
/// let batch = Batch::new().hook(Guard).run(&toolbox, &calls, &ToolContext::new(), |_| {}).await;
/// assert_eq!(batch.results[0].output.to_text(), "nothing may be removed here");
/// # }
/// ```
pub trait Hook: Send + Sync + 'static {
    /// Before a call whose arguments are in order. They may be changed, and are not checked again: what does not decode
    /// any more fails when the call runs.
    ///
    /// # Errors
    ///
    /// The call is blocked, and the model reads the error.
    fn before(
        &self,
        tool: ToolRef<'_>,
        arguments: &mut Value,
        cx: &ToolContext,
    ) -> impl Future<Output = Result<Decision, ToolError>> + Send {
        let _ = (tool, arguments, cx);
        std::future::ready(Ok(Decision::Run))
    }

    /// After a call that ran, however it ended. The output that it returns is the call's.
    ///
    /// Session state changes with the output of the last hook, if that is a success; the call holds it until then, so a
    /// hook must not call a tool with the same state. `details` hold what later sessions restore: who replaces them takes
    /// it along.
    ///
    /// # Errors
    ///
    /// The error is the call's output.
    fn after(
        &self,
        tool: ToolRef<'_>,
        arguments: &Value,
        output: ToolOutput,
        cx: &ToolContext,
    ) -> impl Future<Output = Result<ToolOutput, ToolError>> + Send {
        let _ = (tool, arguments, cx);
        std::future::ready(Ok(output))
    }
}

type Boxed<'a, T> = Pin<Box<dyn Future<Output = Result<T, ToolError>> + Send + 'a>>;

/// A hook without its type.
trait ErasedHook: Send + Sync {
    fn before<'a>(&'a self, tool: ToolRef<'a>, arguments: &'a mut Value, cx: &'a ToolContext) -> Boxed<'a, Decision>;

    fn after<'a>(
        &'a self,
        tool: ToolRef<'a>,
        arguments: &'a Value,
        output: ToolOutput,
        cx: &'a ToolContext,
    ) -> Boxed<'a, ToolOutput>;
}

impl<H: Hook> ErasedHook for H {
    // Inside of the future, because a function that is no `async fn` may panic before it returns one.
    fn before<'a>(&'a self, tool: ToolRef<'a>, arguments: &'a mut Value, cx: &'a ToolContext) -> Boxed<'a, Decision> {
        Box::pin(async move { Hook::before(self, tool, arguments, cx).await })
    }

    fn after<'a>(
        &'a self,
        tool: ToolRef<'a>,
        arguments: &'a Value,
        output: ToolOutput,
        cx: &'a ToolContext,
    ) -> Boxed<'a, ToolOutput> {
        Box::pin(async move { Hook::after(self, tool, arguments, output, cx).await })
    }
}

/// Hooks, in the order in which they are asked.
#[derive(Clone, Default)]
pub(crate) struct Hooks(Vec<Arc<dyn ErasedHook>>);

impl Hooks {
    pub(crate) fn push(&mut self, hook: impl Hook) {
        self.0.push(Arc::new(hook));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What becomes of a call; the first hook that blocks it is the last that is asked.
    pub(crate) async fn before(
        &self,
        tool: ToolRef<'_>,
        arguments: &mut Value,
        cx: &ToolContext,
    ) -> Result<Decision, ToolError> {
        for hook in &self.0 {
            let decision = guard(tool, hook.before(tool, arguments, cx), cx).await?;
            if decision != Decision::Run {
                return Ok(decision);
            }
        }
        Ok(Decision::Run)
    }

    /// What the hooks make of a result, each of what the one before it left.
    pub(crate) async fn after(
        &self,
        tool: ToolRef<'_>,
        arguments: &Value,
        mut output: ToolOutput,
        cx: &ToolContext,
    ) -> ToolOutput {
        for hook in &self.0 {
            let result = guard(tool, hook.after(tool, arguments, output, cx), cx).await;
            output = result.unwrap_or_else(ToolOutput::thrown);
        }
        output
    }
}

async fn guard<T>(tool: ToolRef<'_>, hook: Boxed<'_, T>, cx: &ToolContext) -> Result<T, ToolError> {
    let panicked = "a hook of the application panicked. This is no fault of the call";
    Ok(run::guard(tool.spec(), panicked, pin!(Some(hook)), || Some(run::cancelled(cx))).await?)
}

impl fmt::Debug for Hooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} hooks", self.0.len())
    }
}
