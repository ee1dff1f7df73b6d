//! State that lives in a session: it follows branches and survives restarts.
//!
//! The rule (Pi's `details` convention): every successful call of a tool with state stores a full snapshot in its
//! result's `details`, under the state's key. Restoring walks the branch from the root and takes, for each key, the
//! last result that is no error and has it, whichever tool made it.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use tokio::sync::OwnedMutexGuard;

use crate::error::ToolError;

/// A type whose value lives in the session; a tool takes it as `&mut T`.
///
/// The call gets a copy and holds the state until it ends, so calls that share one wait for each other, and a tool must
/// not call another with the same state. Success commits the copy, an error, a panic or a cancellation drops it. Derive it with
/// `#[derive(SessionState)]`; the key defaults to the type's name in snake case.
///
/// # Example
///
/// ```
/// use pi_tools::SessionState;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Clone, Default, Serialize, Deserialize, SessionState)]
/// #[session_state(key = "todos")]
/// struct Todos(Vec<String>);
/// assert_eq!(Todos::KEY, "todos");
/// ```
#[diagnostic::on_unimplemented(
    message = "`&mut {Self}` is not session state",
    label = "`SessionState` is not implemented for `{Self}`",
    note = "derive it: `#[derive(Clone, Default, Serialize, Deserialize, SessionState)]`",
    note = "an argument from the model is an owned value: `{Self}` without `&mut`"
)]
pub trait SessionState: Sized + Send + 'static {
    /// The key in `details`. All tools of one application that use it share the state.
    const KEY: &'static str;

    /// How a value begins, is read and is written: [`StateForm::of`].
    const FORM: StateForm<Self>;
}

/// How the values of a state begin, are read and are written.
///
/// A constant of [`SessionState`] in place of bounds: what a type lacks is then told once, where the state is derived.
pub struct StateForm<S> {
    default: fn() -> S,
    read: fn(&Value) -> serde_json::Result<S>,
    write: fn(&S) -> serde_json::Result<Value>,
}

impl<S> StateForm<S> {
    /// The one form that there is: as serde has it.
    ///
    /// ```
    /// use pi_tools::{SessionState, StateForm};
    ///
    /// #[derive(Clone, Default, serde::Serialize, serde::Deserialize)]
    /// struct Todos(Vec<String>);
    ///
    /// // What the derive writes.
    /// impl SessionState for Todos {
    ///     const KEY: &'static str = "todos";
    ///     const FORM: StateForm<Self> = StateForm::of();
    /// }
    /// ```
    #[must_use]
    pub const fn of() -> Self
    where
        S: Default + Serialize + DeserializeOwned,
    {
        Self { default: S::default, read: |value| S::deserialize(value), write: |state| serde_json::to_value(state) }
    }
}

impl<S> fmt::Debug for StateForm<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StateForm").finish_non_exhaustive()
    }
}

/// The states of one tool: `()` for none, `(First, (Second, ()))` for two.
pub trait StateSet: Sized + Send + 'static {
    /// Adds the keys, in the order of the parameters.
    fn keys(keys: &mut Vec<&'static str>);

    /// Reads the states; a missing one is the default.
    ///
    /// # Errors
    ///
    /// When a stored value is not of the state's type.
    fn load(states: &Locked) -> Result<Self, ToolError>;

    /// Adds the states by key.
    ///
    /// # Errors
    ///
    /// When a state does not serialise.
    fn store(&self, states: &mut Map<String, Value>) -> Result<(), ToolError>;
}

impl StateSet for () {
    fn keys(_: &mut Vec<&'static str>) {}

    fn load(_: &Locked) -> Result<Self, ToolError> {
        Ok(())
    }

    fn store(&self, _: &mut Map<String, Value>) -> Result<(), ToolError> {
        Ok(())
    }
}

impl<S: SessionState, Rest: StateSet> StateSet for (S, Rest) {
    fn keys(keys: &mut Vec<&'static str>) {
        keys.push(S::KEY);
        Rest::keys(keys);
    }

    fn load(states: &Locked) -> Result<Self, ToolError> {
        Ok((states.load()?, Rest::load(states)?))
    }

    fn store(&self, states: &mut Map<String, Value>) -> Result<(), ToolError> {
        store(&self.0, states)?;
        self.1.store(states)
    }
}

/// Adds a state by its key.
pub(crate) fn store<S: SessionState>(state: &S, states: &mut Map<String, Value>) -> Result<(), ToolError> {
    let value = (S::FORM.write)(state)
        .map_err(|error| ToolError::new(format!("the session's state `{}` cannot be stored: {error}", S::KEY)))?;
    states.insert(S::KEY.to_owned(), value);
    Ok(())
}

type Cell = Arc<tokio::sync::Mutex<Option<Value>>>;

/// The states of one session, by key. Clones share them.
///
/// # Example
///
/// ```
/// use pi_tools::Session;
/// use serde_json::json;
///
/// let branch = [
///     json!({"type": "message", "message": {"role": "toolResult", "isError": false, "details": {"todos": ["tea"]}}}),
///     json!({"type": "message", "message": {"role": "toolResult", "isError": true, "details": {}}}),
/// ];
/// let states = Session::restore(&branch, &["todos"]);
/// assert_eq!(states["todos"], json!(["tea"]));
/// let session = Session::with_states(states);
/// # drop(session);
/// ```
#[derive(Clone, Default)]
pub struct Session {
    cells: Arc<Mutex<HashMap<String, Cell>>>,
}

impl Session {
    /// A session without state.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A session with these states.
    #[must_use]
    pub fn with_states(states: Map<String, Value>) -> Self {
        let session = Self::new();
        session.replace(states);
        session
    }

    /// Replaces all states. A call that is still running goes on with the states it began with, and commits to those.
    pub fn replace(&self, states: Map<String, Value>) {
        let cells = states.into_iter().map(|(key, value)| (key, Arc::new(tokio::sync::Mutex::new(Some(value)))));
        *self.cells() = cells.collect();
    }

    /// What a branch of Pi's session entries, from the root to the leaf, says about these keys.
    ///
    /// Failed calls store `details: {}` and change nothing, so only results that are no error and have the key count.
    #[must_use]
    pub fn restore(branch: &[Value], keys: &[&str]) -> Map<String, Value> {
        let mut states = Map::new();
        for entry in branch {
            let message = &entry["message"];
            if message["role"] != "toolResult" || message["isError"] == true {
                continue;
            }
            for key in keys {
                if let Some(value) = message["details"].get(key) {
                    states.insert((*key).to_owned(), value.clone());
                }
            }
        }
        states
    }

    /// Waits for the states of these keys and holds them.
    pub(crate) async fn lock(&self, keys: &[&'static str]) -> Locked {
        if keys.is_empty() {
            return Locked::none();
        }
        // In the order of the keys, whatever the order of the parameters: two tools cannot wait for each other.
        let cells: BTreeMap<_, _> = {
            let mut cells = self.cells();
            keys.iter().map(|key| (*key, Arc::clone(cells.entry((*key).to_owned()).or_default()))).collect()
        };
        let mut guards = BTreeMap::new();
        for (key, cell) in cells {
            guards.insert(key, cell.lock_owned().await);
        }
        Locked { guards }
    }

    fn cells(&self) -> std::sync::MutexGuard<'_, HashMap<String, Cell>> {
        // No code of a tool runs under this lock.
        self.cells.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").finish_non_exhaustive()
    }
}

/// States that one call holds.
#[derive(Debug)]
pub struct Locked {
    guards: BTreeMap<&'static str, OwnedMutexGuard<Option<Value>>>,
}

impl Locked {
    /// No states: every one is its default.
    pub(crate) fn none() -> Self {
        Self { guards: BTreeMap::new() }
    }

    /// A copy of a state; its default when the session has none.
    pub(crate) fn load<S: SessionState>(&self) -> Result<S, ToolError> {
        match self.guards.get(S::KEY).and_then(|guard| guard.as_ref()) {
            None => Ok((S::FORM.default)()),
            Some(value) => (S::FORM.read)(value).map_err(|error| {
                ToolError::new(format!(
                    "the session's state `{}` cannot be read: {error}; it was left as it is",
                    S::KEY
                ))
            }),
        }
    }

    /// Makes these states the session's.
    pub(crate) fn commit(mut self, mut states: Map<String, Value>) {
        for (key, guard) in &mut self.guards {
            **guard = states.remove(*key);
        }
    }
}
