//! What the outside offers to a running call.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::ToolError;
use crate::output::ToolOutput;

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

    /// Asks the user whether a call may run: [`ToolSpec::confirm`](crate::ToolSpec::confirm), with the arguments filled in.
    /// `None` when nobody can answer: then it does not run.
    ///
    /// A question is dropped when its call is cancelled. The calls of a [`Batch`](crate::Batch) ask one after another;
    /// others may ask at the same time, and hold their session states meanwhile.
    ///
    /// ```
    /// use pi_tools::{Host, async_trait};
    ///
    /// /// Trusts what stands in a folder of its own.
    /// struct Sandbox;
    ///
    /// #[async_trait]
    /// impl Host for Sandbox {
    ///     async fn confirm(&self, _call_id: &str, question: &str) -> Option<bool> {
    ///         Some(question.contains("/sandbox/"))
    ///     }
    /// }
    /// ```
    async fn confirm(&self, call_id: &str, question: &str) -> Option<bool> {
        let _ = (call_id, question);
        None
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
