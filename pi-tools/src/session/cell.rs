//! One state of a session, and who holds it.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::{Arc, Mutex};

use serde_json::{Map, Value};
use tokio::sync::OwnedMutexGuard;

use super::{SessionState, lock};
use crate::error::ToolError;
use crate::host::has_made;

/// A state, by whose key the session has it; nothing before a tool has made one.
#[derive(Debug, Default)]
pub(super) struct Cell {
    value: Arc<tokio::sync::Mutex<Option<Value>>>,
    /// The call that holds it, or held it last.
    holder: Mutex<Arc<str>>,
}

impl Cell {
    pub(super) fn new(value: Value) -> Self {
        Self { value: Arc::new(tokio::sync::Mutex::new(Some(value))), holder: Mutex::default() }
    }

    /// Whether who holds it waits for this call: has made it, or polls it on this thread.
    fn is_held_around(&self, call_id: &str) -> bool {
        let is_held_here = OWN.with_borrow(|own| own.iter().any(|own| Arc::ptr_eq(own, &self.value)));
        is_held_here || (has_made(&lock(&self.holder), call_id) && self.value.try_lock().is_err())
    }
}

type Values = Vec<Arc<tokio::sync::Mutex<Option<Value>>>>;

thread_local! {
    /// The states that what runs on this thread holds.
    static OWN: RefCell<Values> = const { RefCell::new(Vec::new()) };
}

/// While it is there, this thread holds some more states; before it, it held this many.
struct Own(usize);

impl Own {
    fn enter(values: &[Arc<tokio::sync::Mutex<Option<Value>>>]) -> Self {
        OWN.with_borrow_mut(|own| {
            let before = own.len();
            own.extend(values.iter().cloned());
            Self(before)
        })
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        OWN.with_borrow_mut(|own| own.truncate(self.0));
    }
}

/// States that one call holds.
#[derive(Debug)]
pub struct Locked {
    guards: BTreeMap<&'static str, OwnedMutexGuard<Option<Value>>>,
}

impl Locked {
    /// No states: every one is its default.
    pub(crate) const fn none() -> Self {
        Self { guards: BTreeMap::new() }
    }

    pub(crate) fn is_none(&self) -> bool {
        self.guards.is_empty()
    }

    /// Waits for states. In the order of their keys, so that two tools cannot wait for each other.
    pub(super) async fn wait(cells: BTreeMap<&'static str, Arc<Cell>>, call_id: &Arc<str>) -> Result<Self, ToolError> {
        if let Some((key, _)) = cells.iter().find(|(_, cell)| cell.is_held_around(call_id)) {
            return Err(ToolError::new(format!(
                "the session's state `{key}` is held by the call that made this one, and each would wait for the other: \
                 a tool must not call another with the same state"
            )));
        }
        let mut guards = BTreeMap::new();
        for (key, cell) in cells {
            let guard = Arc::clone(&cell.value).lock_owned().await;
            *lock(&cell.holder) = Arc::clone(call_id);
            guards.insert(key, guard);
        }
        Ok(Self { guards })
    }

    /// Runs a future that holds the states.
    pub(crate) async fn run<F: Future>(&self, body: F) -> F::Output {
        let values = self.values();
        let mut body = pin!(body);
        std::future::poll_fn(|task| {
            let _own = Own::enter(&values);
            body.as_mut().poll(task)
        })
        .await
    }

    /// A closure that holds the states, on whatever thread it runs.
    pub(crate) fn around<T, F: FnOnce() -> T>(&self, body: F) -> impl FnOnce() -> T + use<T, F> {
        let values = self.values();
        move || {
            let _own = Own::enter(&values);
            body()
        }
    }

    fn values(&self) -> Values {
        self.guards.values().map(|guard| Arc::clone(OwnedMutexGuard::mutex(guard))).collect()
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
