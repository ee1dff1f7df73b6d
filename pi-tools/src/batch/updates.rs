//! The updates of running calls, on their way to the task of the batch.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Waker};

use crate::context;
use crate::output::ToolOutput;

/// What calls have sent and nobody has taken. Calls send from any thread.
#[derive(Default)]
pub(super) struct Updates(Mutex<State>);

#[derive(Default)]
struct State {
    is_open: Vec<bool>,
    waiting: Vec<(usize, ToolOutput)>,
    task: Option<Waker>,
}

impl Updates {
    /// Updates of this many calls, none of which runs yet.
    pub(super) fn new(calls: usize) -> Arc<Self> {
        Arc::new(Self(Mutex::new(State { is_open: vec![false; calls], ..State::default() })))
    }

    /// Where a call sends its updates to. What comes after the batch goes nowhere.
    pub(super) fn of(self: &Arc<Self>, call: usize) -> context::Updates {
        let updates = Arc::downgrade(self);
        Arc::new(move |output| {
            if let Some(updates) = updates.upgrade() {
                updates.send(call, output);
            }
        })
    }

    /// Begins or ends the time in which updates of a call are taken: that of its execution.
    pub(super) fn open(&self, call: usize, is_open: bool) {
        self.lock().is_open[call] = is_open;
    }

    /// Takes what there is, and has the task woken for more.
    pub(super) fn take(&self, task: &Context<'_>) -> Vec<(usize, ToolOutput)> {
        let mut state = self.lock();
        state.task = Some(task.waker().clone());
        std::mem::take(&mut state.waiting)
    }

    fn send(&self, call: usize, output: ToolOutput) {
        let mut state = self.lock();
        if !state.is_open[call] {
            return;
        }
        state.waiting.push((call, output));
        let task = state.task.take();
        // A waker is somebody else's code.
        drop(state);
        if let Some(task) = task {
            task.wake();
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
