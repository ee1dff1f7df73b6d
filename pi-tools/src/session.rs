//! State that lives in a session: it follows branches and survives restarts.
//!
//! The rule (Pi's `details` convention): every successful call of a tool with state stores a full snapshot in its
//! result's `details`, under the state's key. Restoring walks the branch from the root and takes, for each key, the
//! last result that is no error and has it, whichever tool made it.

mod cell;
mod entry;
mod file;
mod line;
mod state;
mod tree;

use std::collections::HashMap;
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::error::ToolError;
use crate::spill::Spill;

use cell::Cell;
pub use cell::Locked;
pub use entry::{DrawnEntry, SessionEntry};
pub use file::{SessionError, SessionFile};
pub(crate) use state::store;
pub use state::{SessionState, StateForm, StateSet};

/// One session: its states, by key, the entries that tools have appended, and the files with what was too long for an
/// output. Clones share them.
///
/// The files are in a folder for temporary files that only the user can read, and go with the last clone; a bundle that
/// serves a host removes them when it ends. A session in a `static` is never dropped.
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
    shared: Arc<Shared>,
}

/// Which session it is, as far as whoever keeps it tells.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct SessionInfo {
    /// Its id.
    pub id: Option<String>,
    /// The file that it is kept in, if it is.
    pub file: Option<PathBuf>,
    /// What the user calls it.
    pub name: Option<String>,
}

#[derive(Default)]
struct Shared {
    info: Mutex<SessionInfo>,
    cells: Mutex<HashMap<String, Arc<Cell>>>,
    spill: Spill,
    entries: Mutex<Vec<(String, Value)>>,
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

    /// A session as a branch of Pi's session entries, from the root to the leaf, leaves it: the states of these keys, and
    /// the custom entries.
    ///
    /// ```
    /// use pi_tools::Session;
    /// use serde_json::json;
    ///
    /// let branch = [json!({"type": "custom", "customType": "search", "data": {"query": "tea"}})];
    /// let session = Session::from_branch(&branch, &[]);
    /// assert_eq!(session.entries("search"), [json!({"query": "tea"})]);
    /// ```
    #[must_use]
    pub fn from_branch<'a>(branch: impl IntoIterator<Item = &'a Value>, keys: &[&str]) -> Self {
        let branch: Vec<&Value> = branch.into_iter().collect();
        let customs = branch.iter().filter(|entry| entry["type"] == "custom");
        let customs =
            customs.filter_map(|entry| Some((entry["customType"].as_str()?.to_owned(), entry["data"].clone())));
        let session = Self::with_states(Self::restore(branch.iter().copied(), keys));
        session.add_entries(customs);
        session
    }

    /// Replaces all states, and forgets the entries. A call that is still running goes on with the states it began with,
    /// and commits to those.
    pub fn replace(&self, states: Map<String, Value>) {
        let cells = states.into_iter().map(|(key, value)| (key, Arc::new(Cell::new(value))));
        *self.cells() = cells.collect();
        self.appended().clear();
    }

    /// Which session it is: its id, its file and its name.
    ///
    /// ```
    /// let session = pi_tools::Session::new();
    /// assert_eq!(session.info().file, None, "it is nowhere but in memory");
    /// ```
    #[must_use]
    pub fn info(&self) -> SessionInfo {
        lock(&self.shared.info).clone()
    }

    /// Tells which session it is.
    pub(crate) fn set_info(&self, info: SessionInfo) {
        *lock(&self.shared.info) = info;
    }

    /// The data of the custom entries of a type, in the order in which they were appended; null where one has none.
    #[must_use]
    pub fn entries(&self, custom_type: &str) -> Vec<Value> {
        let entries = self.appended();
        entries.iter().filter(|(other, _)| other == custom_type).map(|(_, data)| data.clone()).collect()
    }

    /// The entries of a type that derives [`SessionEntry`], in the order in which they were appended.
    ///
    /// # Errors
    ///
    /// When one of them is not of the type.
    pub fn entries_of<E: SessionEntry + DeserializeOwned>(&self) -> Result<Vec<E>, ToolError> {
        let read = |data| {
            serde_json::from_value(data)
                .map_err(|error| ToolError::new(format!("an entry `{}` of the session is another: {error}", E::TYPE)))
        };
        self.entries(E::TYPE).into_iter().map(read).collect()
    }

    /// Adds entries that whoever keeps the session has already.
    pub(crate) fn add_entries(&self, entries: impl IntoIterator<Item = (String, Value)>) {
        self.appended().extend(entries);
    }

    /// What a branch of Pi's session entries, from the root to the leaf, says about these keys.
    ///
    /// Failed calls store `details: {}` and change nothing, so only results that are no error and have the key count.
    #[must_use]
    pub fn restore<'a>(branch: impl IntoIterator<Item = &'a Value>, keys: &[&str]) -> Map<String, Value> {
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

    /// Waits for the states of these keys and holds them, for a call.
    pub(crate) async fn lock(&self, keys: &[&'static str], call_id: &Arc<str>) -> Result<Locked, ToolError> {
        let cells = {
            let mut cells = self.cells();
            keys.iter().map(|key| (*key, Arc::clone(cells.entry((*key).to_owned()).or_default()))).collect()
        };
        Locked::wait(cells, call_id).await
    }

    /// Writes a text into a new file of the session.
    pub(crate) fn spill(&self, text: &str) -> io::Result<PathBuf> {
        self.shared.spill.write(text)
    }

    /// Makes a new file of the session, for what is too long.
    #[cfg(feature = "command")]
    pub(crate) fn spill_file(&self) -> io::Result<(std::fs::File, PathBuf)> {
        self.shared.spill.create()
    }

    fn cells(&self) -> MutexGuard<'_, HashMap<String, Arc<Cell>>> {
        lock(&self.shared.cells)
    }

    fn appended(&self) -> MutexGuard<'_, Vec<(String, Value)>> {
        lock(&self.shared.entries)
    }
}

/// No code of a tool runs under these locks.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").finish_non_exhaustive()
    }
}
