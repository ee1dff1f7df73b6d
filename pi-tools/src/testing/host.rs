//! A host that follows a script, and records what it is told.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use serde_json::Value;

use crate::error::ToolError;
use crate::host::{Dialog, FileLock, Host, Level, NestedCall};
use crate::output::ToolOutput;

/// What a call has told its host.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum HostEvent {
    /// Progress: [`ToolContext::update`](crate::ToolContext::update).
    Update {
        /// The id of the call.
        call_id: String,
        /// What it has so far.
        output: ToolOutput,
    },
    /// A notice for the user: [`Ui::notify`](crate::Ui::notify).
    Notice {
        /// The id of the call.
        call_id: String,
        /// What it says.
        message: String,
        /// How urgent it is.
        level: Level,
    },
    /// A text in the footer: [`Ui::set_status`](crate::Ui::set_status).
    Status {
        /// The id of the call.
        call_id: String,
        /// What tells it from other texts.
        key: String,
        /// The text; `None` when it is taken away.
        text: Option<String>,
    },
    /// A question to the user: [`Host::confirm`] and its siblings.
    Question {
        /// The id of the call.
        call_id: String,
        /// What is asked.
        question: String,
    },
    /// A call of another tool: [`ToolContext::execute_tool`](crate::ToolContext::execute_tool).
    Call {
        /// The id of the call that makes it.
        call_id: String,
        /// The tool; `None` for the one that the calling tool stands for.
        name: Option<String>,
        /// Its arguments.
        arguments: Value,
    },
    /// A file that the call waits for, to change it: [`Host::lock_file`].
    Lock {
        /// The id of the call.
        call_id: String,
        /// The file.
        path: PathBuf,
    },
    /// An entry for the session: [`ToolContext::append_entry`](crate::ToolContext::append_entry).
    Entry {
        /// The id of the call.
        call_id: String,
        /// Its type.
        custom_type: String,
        /// Its data.
        data: Value,
    },
}

/// A [`Host`] for tests: it records what it is told, and answers as it was told before.
///
/// # Example
///
/// ```
/// use pi_tools::Level;
/// use pi_tools::testing::{ScriptedHost, TestContext};
///
/// let cx = TestContext::new().with_host(ScriptedHost::new().refuse_entries("the disk is full"));
/// cx.update("half way");
/// cx.ui().notify("added", Level::Warning);
/// let error = cx.append_entry("search", &"tea").unwrap_err();
///
/// assert_eq!(error.message(), "the disk is full");
/// assert_eq!(cx.host().progress(), ["half way"]);
/// assert_eq!(cx.host().notices(), [(Level::Warning, "added".to_owned())]);
/// // Also what was refused, and in the order in which it came.
/// assert_eq!(cx.host().events().len(), 3);
/// ```
///
/// A tool that asks before it runs:
///
/// ```
/// use pi_tools::prelude::*;
/// use pi_tools::testing::{ScriptedHost, TestContext, expect};
///
/// /// Remove a file.
/// #[pi_tool(handle = Remove, register = false, confirm = "Remove {path}?")]
/// fn remove(
///     /// Which.
///     path: String,
/// ) {
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let toolbox = Toolbox::builder().tool(Remove).build().unwrap();
/// let cx = TestContext::new().with_host(ScriptedHost::new().answer_confirm(true).answer_confirm(false));
/// expect(toolbox.call_with("remove", r#"{"path":"a"}"#, &cx).await).is_success();
/// expect(toolbox.call_with("remove", r#"{"path":"b"}"#, &cx).await).is_error();
/// assert_eq!(cx.host().questions(), ["Remove a?", "Remove b?"]);
/// # }
/// ```
#[derive(Debug)]
#[must_use]
pub struct ScriptedHost {
    has_ui: bool,
    confirmations: Mutex<VecDeque<bool>>,
    texts: Mutex<VecDeque<Option<String>>>,
    outputs: Mutex<VecDeque<ToolOutput>>,
    refused_entries: Option<String>,
    events: Mutex<Vec<HostEvent>>,
}

impl ScriptedHost {
    /// A host with a user, who sees everything, that keeps every entry.
    pub fn new() -> Self {
        Self {
            has_ui: true,
            confirmations: Mutex::default(),
            texts: Mutex::default(),
            outputs: Mutex::default(),
            refused_entries: None,
            events: Mutex::default(),
        }
    }

    /// There is no user.
    pub fn without_ui(mut self) -> Self {
        self.has_ui = false;
        self
    }

    /// The user answers so, once, to the next question of yes or no that has no answer yet: of the library before a call,
    /// or of the tool. Where the answers end, nobody answers.
    pub fn answer_confirm(self, answer: bool) -> Self {
        lock(&self.confirmations).push_back(answer);
        self
    }

    /// The user chooses or writes this, once, in the next dialog that asks for a text. Where the answers end, nobody answers.
    pub fn answer_text(self, answer: impl Into<String>) -> Self {
        lock(&self.texts).push_back(Some(answer.into()));
        self
    }

    /// The user closes the next dialog that asks for a text.
    pub fn dismiss(self) -> Self {
        lock(&self.texts).push_back(None);
        self
    }

    /// The next tool that is called gives this back. Where the outputs end, no tool can be called.
    pub fn answer_call(self, output: ToolOutput) -> Self {
        lock(&self.outputs).push_back(output);
        self
    }

    /// Entries cannot be kept, and this is why.
    pub fn refuse_entries(mut self, reason: impl Into<String>) -> Self {
        self.refused_entries = Some(reason.into());
        self
    }

    /// All that it was told, in that order.
    #[must_use]
    pub fn events(&self) -> Vec<HostEvent> {
        self.recorded().clone()
    }

    /// The texts of all updates, in their order.
    #[must_use]
    pub fn progress(&self) -> Vec<String> {
        self.pick(|event| match event {
            HostEvent::Update { output, .. } => Some(output.to_text()),
            _ => None,
        })
    }

    /// All notices, in their order.
    #[must_use]
    pub fn notices(&self) -> Vec<(Level, String)> {
        self.pick(|event| match event {
            HostEvent::Notice { message, level, .. } => Some((*level, message.clone())),
            _ => None,
        })
    }

    /// All questions, in their order, also those that nobody answered.
    #[must_use]
    pub fn questions(&self) -> Vec<String> {
        self.pick(|event| match event {
            HostEvent::Question { question, .. } => Some(question.clone()),
            _ => None,
        })
    }

    /// The data of all entries of a type, in their order, also of those that were refused.
    #[must_use]
    pub fn entries(&self, of_type: &str) -> Vec<Value> {
        self.pick(|event| match event {
            HostEvent::Entry { custom_type, data, .. } if custom_type == of_type => Some(data.clone()),
            _ => None,
        })
    }

    fn ask(&self, dialog: Dialog<'_>) {
        let (call_id, question) = (dialog.call_id.to_owned(), dialog.title.to_owned());
        self.recorded().push(HostEvent::Question { call_id, question });
    }

    fn text(&self, dialog: Dialog<'_>) -> Option<String> {
        self.ask(dialog);
        lock(&self.texts).pop_front().flatten()
    }

    fn pick<T>(&self, pick: impl FnMut(&HostEvent) -> Option<T>) -> Vec<T> {
        self.recorded().iter().filter_map(pick).collect()
    }

    fn recorded(&self) -> MutexGuard<'_, Vec<HostEvent>> {
        lock(&self.events)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Default for ScriptedHost {
    fn default() -> Self {
        Self::new()
    }
}

#[async_trait]
impl Host for ScriptedHost {
    fn update(&self, call_id: &str, output: ToolOutput) {
        self.recorded().push(HostEvent::Update { call_id: call_id.to_owned(), output });
    }

    fn notify(&self, call_id: &str, message: &str, level: Level) {
        let (call_id, message) = (call_id.to_owned(), message.to_owned());
        self.recorded().push(HostEvent::Notice { call_id, message, level });
    }

    fn has_ui(&self) -> bool {
        self.has_ui
    }

    fn set_status(&self, call_id: &str, key: &str, text: Option<&str>) {
        let (call_id, key, text) = (call_id.to_owned(), key.to_owned(), text.map(str::to_owned));
        self.recorded().push(HostEvent::Status { call_id, key, text });
    }

    async fn confirm(&self, dialog: Dialog<'_>, _: &str) -> Option<bool> {
        self.ask(dialog);
        lock(&self.confirmations).pop_front()
    }

    async fn select(&self, dialog: Dialog<'_>, _: &[String]) -> Option<String> {
        self.text(dialog)
    }

    async fn input(&self, dialog: Dialog<'_>, _: &str) -> Option<String> {
        self.text(dialog)
    }

    async fn editor(&self, dialog: Dialog<'_>, _: &str) -> Option<String> {
        self.text(dialog)
    }

    async fn execute_tool(&self, call: NestedCall<'_>) -> Result<ToolOutput, ToolError> {
        let (call_id, name) = (call.call_id.to_owned(), call.name.map(str::to_owned));
        self.recorded().push(HostEvent::Call { call_id, name, arguments: call.arguments.clone() });
        lock(&self.outputs).pop_front().ok_or_else(|| ToolError::new("the script has no output for this call"))
    }

    async fn lock_file(&self, call_id: &str, path: &Path) -> Result<FileLock, ToolError> {
        self.recorded().push(HostEvent::Lock { call_id: call_id.to_owned(), path: path.to_owned() });
        Ok(FileLock::default())
    }

    fn append_entry(&self, call_id: &str, custom_type: &str, data: &Value) -> Result<(), ToolError> {
        let (call_id, custom_type) = (call_id.to_owned(), custom_type.to_owned());
        self.recorded().push(HostEvent::Entry { call_id, custom_type, data: data.clone() });
        self.refused_entries.clone().map_or(Ok(()), |reason| Err(ToolError::new(reason)))
    }
}
