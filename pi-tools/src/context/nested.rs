//! The calls that a tool makes.

use std::fmt;
use std::pin::Pin;

use serde::Serialize;
use serde_json::Value;

use super::ToolContext;
use crate::error::ToolError;
use crate::host::NestedCall;
use crate::output::ToolOutput;

/// A call that a tool makes, to be awaited. From [`ToolContext::execute_tool`] and [`ToolContext::execute_builtin`].
#[must_use = "nothing is called until it is awaited"]
pub struct ExecuteTool<'a> {
    cx: &'a ToolContext,
    /// None for the tool that the calling one stands for.
    name: Option<&'a str>,
    arguments: Result<Value, serde_json::Error>,
    on_update: Box<dyn Fn(ToolOutput) + Send + Sync + 'a>,
}

impl ToolContext {
    /// Calls another tool of the application: in Pi any that is active or made for scripts, with Pi's checks and hooks.
    ///
    /// Its updates are dropped, unless [`on_update`](ExecuteTool::on_update) wants them. It is cancelled with this call, and
    /// when the future is dropped.
    ///
    /// ```
    /// use pi_tools::prelude::*;
    /// use serde_json::json;
    ///
    /// /// Count the lines of a file.
    /// #[pi_tool]
    /// async fn count_lines(
    ///     /// The file.
    ///     path: String,
    ///     cx: &ToolContext,
    /// ) -> Result<String, ToolError> {
    ///     let output = cx.execute_tool("read", json!({ "path": path })).await?;
    ///     Ok(format!("{} lines", output.to_text().lines().count()))
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// Awaited, when the application lets tools call no others, or the arguments do not serialise. What fails in the other
    /// tool is an output with [`is_error`](ToolOutput::is_error).
    pub fn execute_tool<'a>(&'a self, name: &'a str, arguments: impl Serialize) -> ExecuteTool<'a> {
        self.nested(Some(name), arguments)
    }

    /// Calls the tool that this one stands for: `#[pi_tool(overrides = "read")]`. Pi's own `read` is called as if the model
    /// had called it, with no hooks of extensions. What it gives back may go on as it is: Pi has cut it, and says so in it.
    ///
    /// ```
    /// use pi_tools::builtin::{ReadArguments, ReadDetails};
    /// use pi_tools::prelude::*;
    ///
    /// /// Read a file, and say so.
    /// #[pi_tool(overrides = "read")]
    /// async fn read(
    ///     /// The file.
    ///     path: String,
    ///     /// The first line, from 1.
    ///     offset: Option<f64>,
    ///     /// How many lines at most.
    ///     limit: Option<f64>,
    ///     cx: &ToolContext,
    /// ) -> Result<ToolOutput<ReadDetails>, ToolError> {
    ///     cx.ui().notify(format!("reading {path}"), Level::Info);
    ///     cx.execute_builtin(ReadArguments { path, offset, limit }).await?.typed()
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// Awaited, when the application has no such tool, or the arguments do not serialise. In Pi also for `edit` and `write`
    /// in a call that holds files (`#[arg(mutates)]`), because these wait until nobody does.
    pub fn execute_builtin(&self, arguments: impl Serialize) -> ExecuteTool<'_> {
        self.nested(None, arguments)
    }

    fn nested<'a>(&'a self, name: Option<&'a str>, arguments: impl Serialize) -> ExecuteTool<'a> {
        ExecuteTool { cx: self, name, arguments: serde_json::to_value(arguments), on_update: Box::new(drop) }
    }
}

impl<'a> ExecuteTool<'a> {
    /// Tells what the other tool has so far; `|output| cx.update(output)` passes it on.
    pub fn on_update(mut self, on_update: impl Fn(ToolOutput) + Send + Sync + 'a) -> Self {
        self.on_update = Box::new(on_update);
        self
    }
}

impl<'a> IntoFuture for ExecuteTool<'a> {
    type Output = Result<ToolOutput, ToolError>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send + 'a>>;

    fn into_future(self) -> Self::IntoFuture {
        let Self { cx, name, arguments, on_update } = self;
        Box::pin(async move {
            let arguments = &arguments?;
            let call = NestedCall { call_id: cx.call_id(), name, arguments, on_update: &*on_update };
            cx.host().execute_tool(call).await
        })
    }
}

impl fmt::Debug for ExecuteTool<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExecuteTool").finish_non_exhaustive()
    }
}
