//! What the outside offers to a running call.

mod form;

use std::any::Any;
use std::fmt;
use std::path::Path;
use std::time::Duration;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::error::ToolError;
use crate::output::ToolOutput;

pub use form::Form;

/// How urgent a notice is. Pi's three levels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// For information.
    #[default]
    Info,
    /// Something is not as it should be.
    Warning,
    /// Something failed.
    Error,
}

/// How the application runs that a call is made in. Pi has four ways.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Mode {
    /// Pi in a terminal.
    Tui,
    /// Pi, driven by another program over its standard input and output.
    Rpc,
    /// Pi, that writes events and reads nothing.
    Json,
    /// Pi, that writes the last answer and reads nothing.
    Print,
    /// The command line of a bundle.
    Cli,
    /// A client of the Model Context Protocol.
    Mcp,
    /// An application that has the tools inside, or an unknown one.
    #[default]
    #[serde(other)]
    Embedded,
}

/// The model that calls the tools.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Model {
    /// Its name at the provider.
    pub id: String,
    /// Who runs it.
    pub provider: String,
    /// How much it can read, in tokens.
    pub context_window: Option<u64>,
    /// How much it can write at once, in tokens.
    pub max_tokens: Option<u64>,
}

impl Model {
    /// A model, with nothing known about its limits.
    #[must_use]
    pub fn new(provider: impl Into<String>, id: impl Into<String>) -> Self {
        Self { id: id.into(), provider: provider.into(), context_window: None, max_tokens: None }
    }
}

/// What a dialog with the user begins with.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Dialog<'a> {
    /// The call that asks.
    pub call_id: &'a str,
    /// What is asked.
    pub title: &'a str,
    /// What the tool calls the question, if it does: [`Ui::named`](crate::Ui::named).
    pub name: Option<&'a str>,
    /// How long somebody may take to answer. Whoever asks ends the dialog then, by dropping its future; a host can show how
    /// much is left.
    pub time_limit: Option<Duration>,
}

impl<'a> Dialog<'a> {
    /// A question of a call, with as much time as it takes.
    #[must_use]
    pub const fn new(call_id: &'a str, title: &'a str) -> Self {
        Self { call_id, title, name: None, time_limit: None }
    }
}

/// A call that a tool makes.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct NestedCall<'a> {
    /// The call that makes it.
    pub call_id: &'a str,
    /// The tool to call; `None` for the application's own that the calling one stands for:
    /// [`ToolSpec::overrides`](crate::ToolSpec::overrides).
    pub name: Option<&'a str>,
    /// Its arguments.
    pub arguments: &'a Value,
    /// Who is told what it has so far.
    pub on_update: &'a (dyn Fn(ToolOutput) + Send + Sync),
}

impl fmt::Debug for NestedCall<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { call_id, name, arguments, .. } = self;
        f.debug_struct("NestedCall")
            .field("call_id", call_id)
            .field("name", name)
            .field("arguments", arguments)
            .finish()
    }
}

/// Whether the call of the first id has made that of the second, or one that has: the fifth that `a` makes is `a/5`. What a
/// call has while it waits for one that it makes, that one must not wait for.
pub(crate) fn has_made(maker: &str, call_id: &str) -> bool {
    !maker.is_empty() && call_id.strip_prefix(maker).is_some_and(|rest| rest.starts_with('/'))
}

/// A file that nobody else changes who asks first. Dropped, it is free again.
#[derive(Default)]
#[must_use = "the file is free again when this is dropped"]
pub struct FileLock(#[expect(dead_code, reason = "it is only dropped")] Option<Box<dyn Any + Send + Sync>>);

impl FileLock {
    /// Freed by dropping this value.
    pub fn new(release: impl Any + Send + Sync) -> Self {
        Self(Some(Box::new(release)))
    }
}

impl fmt::Debug for FileLock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileLock").finish_non_exhaustive()
    }
}

/// The side of a call that is outside of the tool: who shows progress and notices, and answers questions.
///
/// Hosts of this crate implement it; an embedding application may, to receive what its tools report. Every method
/// has a default: what it is given is dropped, and nobody answers.
///
/// # Example
///
/// ```
/// use std::sync::{Arc, Mutex};
///
/// use pi_tools::{Host, ToolContext, ToolOutput};
///
/// #[derive(Default)]
/// struct Recorder(Mutex<Vec<String>>);
///
/// impl Host for Recorder {
///     fn update(&self, _call_id: &str, output: ToolOutput) {
///         self.0.lock().unwrap().push(output.to_text());
///     }
/// }
///
/// let recorder = Arc::new(Recorder::default());
/// let cx = ToolContext::new().with_host(recorder.clone());
/// cx.update("half way");
/// assert_eq!(*recorder.0.lock().unwrap(), ["half way"]);
/// ```
#[async_trait]
pub trait Host: Send + Sync + 'static {
    /// Shows what a running call has so far. It replaces the update before it.
    fn update(&self, call_id: &str, output: ToolOutput) {
        let _ = (call_id, output);
    }

    /// Shows a notice to the user, where there is one to see it.
    fn notify(&self, call_id: &str, message: &str, level: Level) {
        let _ = (call_id, message, level);
    }

    /// Whether a user can see notices and answer questions.
    fn has_ui(&self) -> bool {
        false
    }

    /// How the application runs.
    fn mode(&self) -> Mode {
        Mode::Embedded
    }

    /// The model that calls the tools, if there is one.
    fn model(&self) -> Option<Model> {
        None
    }

    /// Shows a short text for as long as the application runs, or takes it away again, where there is a place for it. The
    /// key tells texts apart.
    fn set_status(&self, call_id: &str, key: &str, text: Option<&str>) {
        let _ = (call_id, key, text);
    }

    /// Asks the user a question that yes or no answers. `None` when nobody can answer.
    ///
    /// The library asks it before a call: [`ToolSpec::confirm`](crate::ToolSpec::confirm), with the arguments filled in, is
    /// the title, and there is no message. The call runs only after a yes. A tool asks by [`Ui::confirm`](crate::Ui::confirm).
    ///
    /// A dialog is dropped when its call is cancelled, or its time is over. The calls of a [`Batch`](crate::Batch) ask one
    /// after another before they run; others may ask at the same time, and hold their session states meanwhile.
    ///
    /// ```
    /// use pi_tools::{Dialog, Host, async_trait};
    ///
    /// /// Trusts what stands in a folder of its own.
    /// struct Sandbox;
    ///
    /// #[async_trait]
    /// impl Host for Sandbox {
    ///     async fn confirm(&self, dialog: Dialog<'_>, _message: &str) -> Option<bool> {
    ///         Some(dialog.title.contains("/sandbox/"))
    ///     }
    /// }
    /// ```
    async fn confirm(&self, dialog: Dialog<'_>, message: &str) -> Option<bool> {
        let _ = (dialog, message);
        None
    }

    /// Lets the user choose one of some texts. `None` when nobody does.
    async fn select(&self, dialog: Dialog<'_>, options: &[String]) -> Option<String> {
        let _ = (dialog, options);
        None
    }

    /// Lets the user write a line. The placeholder is shown where there is nothing yet. `None` when nobody writes one.
    async fn input(&self, dialog: Dialog<'_>, placeholder: &str) -> Option<String> {
        let _ = (dialog, placeholder);
        None
    }

    /// Lets the user write or change a text of several lines. `None` when nobody does, or it is given up.
    async fn editor(&self, dialog: Dialog<'_>, text: &str) -> Option<String> {
        let _ = (dialog, text);
        None
    }

    /// Lets the user fill in a form; the answers by the names of the fields. `None` when nobody does, or leaves it in the
    /// middle. By default every field is a question of its own: [`confirm`](Self::confirm), [`select`](Self::select), or an
    /// [`input`](Self::input) with its default as the placeholder.
    async fn form(&self, dialog: Dialog<'_>, form: &Form) -> Option<Map<String, Value>> {
        form.ask_each(self, dialog).await
    }

    /// Calls another tool of the application, with its own checks and hooks, or the one that the calling tool stands for.
    ///
    /// Give the call an id that begins with that of the calling one and a `/`, as Pi does: `a/1` is the first that `a` makes.
    /// By that, a call that would wait for a file or a session state of those that wait for it is told so, wherever it runs.
    ///
    /// # Errors
    ///
    /// When the application lets tools call no others: so it is by default. What fails in the other tool is an output with
    /// [`is_error`](ToolOutput::is_error).
    async fn execute_tool(&self, call: NestedCall<'_>) -> Result<ToolOutput, ToolError> {
        Err(ToolError::new(match call.name {
            Some(name) => format!("this application does not let a tool call another, here `{name}`"),
            None => "this application has no tool that this one stands for".to_owned(),
        }))
    }

    /// Waits until nobody else changes a file, by its absolute path. The library has queues of its own for the tools of one
    /// process; this is for others who change files.
    ///
    /// # Errors
    ///
    /// When nobody can tell whether somebody else changes it.
    async fn lock_file(&self, call_id: &str, path: &Path) -> Result<FileLock, ToolError> {
        let _ = (call_id, path);
        Ok(FileLock::default())
    }

    /// The entries of the session's branch, from the root to the leaf, as Pi has them in a file.
    ///
    /// # Errors
    ///
    /// When the application keeps none, as by default.
    async fn branch(&self, call_id: &str) -> Result<Vec<Value>, ToolError> {
        let _ = call_id;
        Err(ToolError::new("this application keeps no entries of the session"))
    }

    /// Keeps an entry of a tool where the session is kept. By default nobody does, and the entry lasts as long as the
    /// [`Session`](crate::Session) in memory, which has it in any case.
    ///
    /// # Errors
    ///
    /// When it cannot be kept; the session does not have it then either.
    fn append_entry(&self, call_id: &str, custom_type: &str, data: &Value) -> Result<(), ToolError> {
        let _ = (call_id, custom_type, data);
        Ok(())
    }
}

/// The host of calls that nobody watches.
pub(crate) struct NoHost;

impl Host for NoHost {}
