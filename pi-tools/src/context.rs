//! What a tool knows about its call, and how it reaches the outside.

mod nested;
mod ui;

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake};
use std::thread::Thread;

use serde::Serialize;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

#[cfg(feature = "command")]
use crate::children::{Children, Owner};
use crate::error::ToolError;
use crate::host::{Host, Mode, Model, NoHost};
use crate::output::{IntoToolOutput, ToolOutput};
use crate::session::{Session, SessionEntry};

pub use nested::ExecuteTool;
pub use ui::Ui;

/// One call as a tool sees it: its id, its working directory, its host and its session.
///
/// A tool takes it as `cx: &ToolContext`, at any place among its parameters. It is cheap to clone, so a tool may hand
/// it to a task of its own. For a unit test, `ToolContext::new()` is a context without a host.
///
/// # Example
///
/// ```
/// use pi_tools::prelude::*;
///
/// /// Count to a number.
/// #[pi_tool]
/// async fn count(
///     /// The number.
///     to: u32,
///     cx: &ToolContext,
/// ) -> String {
///     for n in 1..=to {
///         if cx.is_cancelled() {
///             return format!("stopped at {n}");
///         }
///         cx.update(format!("{n} of {to}"));
///     }
///     format!("counted to {to}")
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// assert_eq!(count(3, &ToolContext::new()).await, "counted to 3");
/// # }
/// ```
#[derive(Clone)]
pub struct ToolContext {
    call_id: Arc<str>,
    cwd: Arc<Path>,
    host: Arc<dyn Host>,
    session: Session,
    provided: Provided,
    cancellation: Option<CancellationToken>,
    updates: Option<Updates>,
    #[cfg(feature = "command")]
    children: Owner,
}

/// Who receives updates in place of the host: a batch, which knows when they come too late.
pub(crate) type Updates = Arc<dyn Fn(ToolOutput) + Send + Sync>;

impl ToolContext {
    /// A context in the process's working directory, with an empty session and no host.
    #[must_use]
    pub fn new() -> Self {
        Self {
            call_id: Arc::from(""),
            cwd: Arc::from(std::env::current_dir().unwrap_or_else(|_| PathBuf::from("."))),
            host: Arc::new(NoHost),
            session: Session::default(),
            provided: Provided::default(),
            cancellation: None,
            updates: None,
            #[cfg(feature = "command")]
            children: Owner::default(),
        }
    }

    /// Sets the id that the host gave the call.
    #[must_use]
    pub fn with_call_id(mut self, call_id: impl Into<Arc<str>>) -> Self {
        self.call_id = call_id.into();
        self
    }

    /// Sets the working directory.
    #[must_use]
    pub fn with_cwd(mut self, cwd: impl Into<PathBuf>) -> Self {
        self.cwd = Arc::from(cwd.into());
        self
    }

    /// Sets who receives updates and notices.
    #[must_use]
    pub fn with_host(mut self, host: Arc<dyn Host>) -> Self {
        self.host = host;
        self
    }

    /// Sets the session whose state the call reads and changes.
    #[must_use]
    pub fn with_session(mut self, session: Session) -> Self {
        self.session = session;
        self
    }

    /// Sets the token that cancels the call. In a tokio runtime the call then has a short grace, for which the runtime
    /// must have its timer enabled; without a runtime it ends at once.
    #[must_use]
    pub fn with_cancellation(mut self, token: CancellationToken) -> Self {
        self.cancellation = Some(token);
        self
    }

    /// Provides a value for the `&T` parameters of tools; a toolbox provides its own values by itself.
    #[must_use]
    pub fn with_value<T: Any + Send + Sync>(mut self, value: T) -> Self {
        self.provided.insert(value);
        self
    }

    /// The id that the host gave the call; empty outside of a host.
    #[must_use]
    pub fn call_id(&self) -> &str {
        &self.call_id
    }

    pub(crate) fn call_id_shared(&self) -> &Arc<str> {
        &self.call_id
    }

    /// The directory that relative paths are meant from. It is the session's, not the process's.
    #[must_use]
    pub fn cwd(&self) -> &Path {
        &self.cwd
    }

    /// The session whose state the call reads and changes.
    #[must_use]
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Shows progress: a text, or a [`ToolOutput`] with details. It replaces the update before it.
    pub fn update(&self, progress: impl IntoToolOutput) {
        let output = progress.into_tool_output().unwrap_or_else(Into::into);
        match &self.updates {
            Some(updates) => updates(output),
            None => self.host.update(&self.call_id, output),
        }
    }

    /// Appends an entry to the session: data that the model never sees, on the branch, and there whether the call fails or
    /// not. [`Session::entries`] reads it back; [`Host::append_entry`] is who may keep it for longer than the session in
    /// memory lasts. Begin the type with a name of your own: all tools share it.
    ///
    /// ```
    /// use pi_tools::ToolContext;
    ///
    /// let cx = ToolContext::new();
    /// cx.append_entry("search", &["tea"]).unwrap();
    /// assert_eq!(cx.session().entries("search"), [serde_json::json!(["tea"])]);
    /// ```
    ///
    /// # Errors
    ///
    /// When the data does not serialise, or the host cannot keep it.
    pub fn append_entry(&self, custom_type: &str, data: &impl Serialize) -> Result<(), ToolError> {
        let data = serde_json::to_value(data)?;
        self.host.append_entry(&self.call_id, custom_type, &data)?;
        self.session.add_entries([(custom_type.to_owned(), data)]);
        Ok(())
    }

    /// Appends an entry of a type that derives [`SessionEntry`], as [`append_entry`](Self::append_entry) does.
    ///
    /// # Errors
    ///
    /// When the data does not serialise, or the host cannot keep it.
    pub fn append<E: SessionEntry>(&self, entry: &E) -> Result<(), ToolError> {
        self.append_entry(E::TYPE, entry)
    }

    /// How the application runs that the call is made in.
    #[must_use]
    pub fn mode(&self) -> Mode {
        self.host.mode()
    }

    /// The model that makes the call, where it is known.
    #[must_use]
    pub fn model(&self) -> Option<Model> {
        self.host.model()
    }

    /// The entries of the session's branch, from the root to the leaf, as Pi has them in a file: messages, results, and
    /// what tools have appended. It may be long. What this call has appended is there, its result is not.
    ///
    /// ```
    /// # use pi_tools::{ToolContext, ToolError};
    /// async fn questions(cx: &ToolContext) -> Result<usize, ToolError> {
    ///     let branch = cx.branch().await?;
    ///     Ok(branch.iter().filter(|entry| entry["message"]["role"] == "user").count())
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// When the application keeps none.
    pub async fn branch(&self) -> Result<Vec<Value>, ToolError> {
        self.host.branch(&self.call_id).await
    }

    /// Waits for a future on this thread: for a tool that is a `fn`, and asks the user or calls another tool.
    ///
    /// Not for an `async fn`, which would keep the thread from the others.
    ///
    /// ```
    /// # let cx = pi_tools::ToolContext::new();
    /// let answer = cx.block_on(cx.ui().confirm("Go on?", "There are 12 files."));
    /// assert_eq!(answer, None, "nobody is here");
    /// ```
    pub fn block_on<F: IntoFuture>(&self, future: F) -> F::Output {
        block_on(future.into_future())
    }

    /// Whether the call was cancelled. A tool that works in steps asks between them.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.cancellation.as_ref().is_some_and(CancellationToken::is_cancelled)
    }

    /// Whether it may ever be cancelled.
    pub(crate) fn is_cancellable(&self) -> bool {
        self.cancellation.is_some()
    }

    /// Waits until the call is cancelled; for `select!` beside the tool's own work.
    pub async fn cancelled(&self) {
        match &self.cancellation {
            Some(token) => token.cancelled().await,
            None => std::future::pending().await,
        }
    }

    /// The application's value of type `T`, or the context itself.
    pub(crate) fn get<T: Any + Send + Sync>(&self) -> Option<&T> {
        let this: &dyn Any = self;
        this.downcast_ref().or_else(|| self.provided.get())
    }

    pub(crate) fn with_updates(mut self, updates: Updates) -> Self {
        self.updates = Some(updates);
        self
    }

    /// The context of one call, whose child processes end with it.
    #[cfg(feature = "command")]
    pub(crate) fn with_children(mut self, children: Owner) -> Self {
        self.children = children;
        self
    }

    #[cfg(feature = "command")]
    pub(crate) fn owner(&self) -> &Owner {
        &self.children
    }

    /// The child processes of the call; `None` outside of one.
    #[cfg(feature = "command")]
    pub(crate) fn children(&self) -> Option<Arc<Children>> {
        self.children.children()
    }

    pub(crate) fn host(&self) -> &dyn Host {
        &*self.host
    }

    /// Whether there may be values among these that the context does not have.
    pub(crate) fn lacks(&self, values: &Provided) -> bool {
        !values.values.is_empty() && !Arc::ptr_eq(&self.provided.values, &values.values)
    }

    /// Adds values that the context does not have yet.
    pub(crate) fn provide(&mut self, values: &Provided) {
        if self.provided.values.is_empty() {
            self.provided = values.clone();
        } else {
            let own = Arc::make_mut(&mut self.provided.values);
            for (id, value) in values.values.iter() {
                own.entry(*id).or_insert_with(|| Arc::clone(value));
            }
        }
    }
}

/// Waits on this thread, with a runtime or without.
pub(crate) fn block_on<F: Future>(future: F) -> F::Output {
    struct Unpark(Thread);

    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }

    let waker = Arc::new(Unpark(std::thread::current())).into();
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(output) => return output,
            Poll::Pending => std::thread::park(),
        }
    }
}

impl Default for ToolContext {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for ToolContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolContext").field("call_id", &self.call_id).field("cwd", &self.cwd).finish_non_exhaustive()
    }
}

/// Where the value of a `&T` parameter comes from.
///
/// Implemented for [`ToolContext`], and for every type that an application can
/// [`provide`](crate::ToolboxBuilder::provide).
#[diagnostic::on_unimplemented(
    message = "`&{Self}` cannot be a parameter of a tool",
    label = "the model's arguments are owned values",
    note = "to take an argument from the model, write an owned type: `String` for `&str`, `Vec<T>` for `&[T]`, `PathBuf` for `&Path`",
    note = "`&T` is the call's `&ToolContext`, or a value that the application provides: `T: Send + Sync + 'static`"
)]
pub trait FromContext: Any + Send + Sync {
    /// The value for this call.
    ///
    /// # Errors
    ///
    /// When nobody provides a value of this type, which a toolbox finds out when it is built.
    fn from_context(cx: &ToolContext) -> Result<&Self, ToolError>;
}

#[diagnostic::do_not_recommend]
impl<T: Any + Send + Sync> FromContext for T {
    fn from_context(cx: &ToolContext) -> Result<&Self, ToolError> {
        cx.get().ok_or_else(|| ToolError::new(format!("no value of type `{}` is provided", std::any::type_name::<T>())))
    }
}

/// The application's values, one a type.
#[derive(Clone, Default)]
pub(crate) struct Provided {
    values: Arc<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>,
}

impl Provided {
    pub(crate) fn insert<T: Any + Send + Sync>(&mut self, value: T) {
        Arc::make_mut(&mut self.values).insert(TypeId::of::<T>(), Arc::new(value));
    }

    /// Whether a call has a value of this type; every call has its context.
    pub(crate) fn has(&self, id: TypeId) -> bool {
        id == TypeId::of::<ToolContext>() || self.values.contains_key(&id)
    }

    fn get<T: Any>(&self) -> Option<&T> {
        self.values.get(&TypeId::of::<T>())?.downcast_ref()
    }
}
