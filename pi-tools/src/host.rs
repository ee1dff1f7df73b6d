//! What the outside offers to a running call.

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

/// The side of a call that is outside of the tool: who shows progress and notices.
///
/// Hosts of this crate implement it; an embedding application may, to receive what its tools report. Every method
/// has a default that drops what it is given.
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
