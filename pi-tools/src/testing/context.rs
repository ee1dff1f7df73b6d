//! A context for a call in a test.

use std::any::Any;
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Map;
use tokio_util::sync::CancellationToken;

use super::ScriptedHost;
use crate::context::ToolContext;
use crate::session::{Session, SessionState, store};

/// A [`ToolContext`] with a [`ScriptedHost`], and with a session of its own: `&TestContext` stands where `&ToolContext` is
/// expected.
///
/// # Example
///
/// ```
/// use pi_tools::prelude::*;
/// use pi_tools::testing::{TestContext, expect};
///
/// #[derive(Clone, Default, Serialize, Deserialize, SessionState)]
/// struct Notes(Vec<String>);
///
/// /// Read the notes.
/// #[pi_tool(handle = Read, register = false)]
/// async fn read_notes(notes: &mut Notes, cx: &ToolContext) -> String {
///     cx.ui().notify("read", Level::Info);
///     notes.0.join("\n")
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let toolbox = Toolbox::builder().tool(Read).build().unwrap();
/// let cx = TestContext::new().with_state(&Notes(vec!["tea".to_owned()]));
/// expect(toolbox.call_with("read_notes", "{}", &cx).await).is_success().has_text("tea");
/// assert_eq!(cx.host().notices(), [(Level::Info, "read".to_owned())]);
///
/// cx.cancel();
/// expect(toolbox.call_with("read_notes", "{}", &cx).await).is_error().has_text("Operation aborted");
/// # }
/// ```
#[derive(Debug)]
#[must_use]
pub struct TestContext {
    cx: ToolContext,
    host: Arc<ScriptedHost>,
    token: CancellationToken,
}

impl TestContext {
    /// A context in the process's working directory, with an empty session, the call id `test`, and a host that records.
    pub fn new() -> Self {
        let token = CancellationToken::new();
        let cx = ToolContext::new().with_call_id("test").with_cancellation(token.clone());
        Self { cx, host: Arc::default(), token }.with_host(ScriptedHost::new())
    }

    /// Sets the host.
    pub fn with_host(mut self, host: ScriptedHost) -> Self {
        self.host = Arc::new(host);
        self.cx = self.cx.with_host(Arc::clone(&self.host) as _);
        self
    }

    /// Sets the id of the call.
    pub fn with_call_id(mut self, call_id: impl Into<Arc<str>>) -> Self {
        self.cx = self.cx.with_call_id(call_id);
        self
    }

    /// Sets the directory that relative paths are meant from.
    pub fn with_cwd(mut self, cwd: impl Into<PathBuf>) -> Self {
        self.cx = self.cx.with_cwd(cwd);
        self
    }

    /// Sets the session: for one with several states, [`Session::with_states`].
    pub fn with_session(mut self, session: Session) -> Self {
        self.cx = self.cx.with_session(session);
        self
    }

    /// Sets a session with this state, and no other.
    ///
    /// # Panics
    ///
    /// When the state does not serialise.
    #[track_caller]
    pub fn with_state<S: SessionState>(self, state: &S) -> Self {
        let mut states = Map::new();
        if let Err(error) = store(state, &mut states) {
            panic!("the state `{}` does not serialise: {error}", S::KEY);
        }
        self.with_session(Session::with_states(states))
    }

    /// Provides a value for `&T` parameters.
    pub fn with_value<T: Any + Send + Sync>(mut self, value: T) -> Self {
        self.cx = self.cx.with_value(value);
        self
    }

    /// Cancels the call that runs with this context, and those that begin later.
    pub fn cancel(&self) {
        self.token.cancel();
    }

    /// The host, which knows what the calls have told it.
    pub fn host(&self) -> &ScriptedHost {
        &self.host
    }
}

impl Default for TestContext {
    fn default() -> Self {
        Self::new()
    }
}

/// So that a test passes it to a tool as it is.
impl Deref for TestContext {
    type Target = ToolContext;

    fn deref(&self) -> &ToolContext {
        &self.cx
    }
}
