//! Child processes, which end with their call, and with this process when it ends by itself.

use std::io;
use std::process::{Child, Command, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Those of one call, or of the process.
#[derive(Default)]
pub(crate) struct Children {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    is_over: bool,
    running: Vec<Arc<Group>>,
}

/// All that run.
static ALL: Children = Children { state: Mutex::new(State { is_over: false, running: Vec::new() }) };

/// Kills all children of the process, and every one to come: for a process that ends at once.
#[cfg(feature = "cli")]
pub(crate) fn kill_all() {
    ALL.end();
}

impl Children {
    /// Kills them, and every one to come.
    fn end(&self) {
        let running = {
            let mut state = lock(&self.state);
            state.is_over = true;
            std::mem::take(&mut state.running)
        };
        for group in running {
            group.kill();
        }
    }

    /// Whether there is nothing that a child could belong to any more.
    pub(crate) fn is_over(&self) -> bool {
        lock(&self.state).is_over
    }

    fn add(&self, group: &Arc<Group>) {
        let mut state = lock(&self.state);
        if state.is_over {
            drop(state);
            return group.kill();
        }
        state.running.push(Arc::clone(group));
    }

    fn remove(&self, group: &Arc<Group>) {
        lock(&self.state).running.retain(|other| !Arc::ptr_eq(group, other));
    }
}

/// Whose children those are that a context starts: the process's alone, or a call's as well.
///
/// A call has none before its context is cloned, as every child does it.
#[derive(Default)]
pub(crate) struct Owner(Option<OnceLock<Arc<Children>>>);

impl Owner {
    /// That of a new call.
    pub(crate) fn call() -> Self {
        Self(Some(OnceLock::new()))
    }

    /// Kills the children of the call, and every one to come.
    pub(crate) fn end(&self) {
        if let Some(children) = self.0.as_ref().and_then(OnceLock::get) {
            children.end();
        }
    }

    /// Those of the call, if it is one.
    pub(crate) fn children(&self) -> Option<Arc<Children>> {
        self.0.as_ref().map(|children| Arc::clone(children.get_or_init(Arc::default)))
    }
}

/// Both have the same children: the clone may be there when the call is over.
impl Clone for Owner {
    fn clone(&self) -> Self {
        Self(self.children().map(OnceLock::from))
    }
}

/// A child, and on Unix the group of processes that it and what it starts are in.
pub(crate) struct Group {
    /// Until it is reaped: then its id may be another's.
    child: Mutex<Option<Child>>,
    id: u32,
    was_killed: AtomicBool,
    call: Option<Arc<Children>>,
}

impl Group {
    /// Starts a child of a call; the child itself still has its streams.
    pub(crate) fn spawn(command: &mut Command, call: Option<Arc<Children>>) -> io::Result<(Arc<Self>, Streams)> {
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(command, 0);
        let mut child = command.spawn()?;
        let streams = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let id = child.id();
        let group = Self { child: Mutex::new(Some(child)), id, was_killed: AtomicBool::new(false), call };
        let group = Arc::new(group);
        for children in group.owners() {
            children.add(&group);
        }
        Ok((group, streams))
    }

    fn owners(&self) -> impl Iterator<Item = &Children> {
        [Some(&ALL), self.call.as_deref()].into_iter().flatten()
    }

    /// Kills all of it.
    pub(crate) fn kill(&self) {
        self.was_killed.store(true, Ordering::Relaxed);
        self.kill_rest();
    }

    /// Whether somebody did.
    pub(crate) fn was_killed(&self) -> bool {
        self.was_killed.load(Ordering::Relaxed)
    }

    /// Kills what is left when the child has ended by itself.
    pub(crate) fn kill_rest(&self) {
        if let Some(child) = &mut *lock(&self.child) {
            system::kill(child);
        }
    }

    /// Waits until the child has ended. It is still there to be reaped.
    pub(crate) fn wait(&self) {
        system::wait(self.id, &self.child);
    }

    /// Kills what is left, and says how the child ended.
    pub(crate) fn reap(self: &Arc<Self>) -> io::Result<ExitStatus> {
        for children in self.owners() {
            children.remove(self);
        }
        let mut child = lock(&self.child);
        let reaped = child.as_mut().map(|child| {
            system::kill(child);
            child.wait()
        });
        *child = None;
        reaped.unwrap_or_else(|| Err(io::Error::other("the process is reaped")))
    }
}

/// Standard input, output and error.
pub(crate) type Streams =
    (Option<std::process::ChildStdin>, Option<std::process::ChildStdout>, Option<std::process::ChildStderr>);

/// No code of a tool runs under these locks.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(unix)]
mod system {
    use std::process::Child;
    use std::sync::Mutex;

    use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

    /// Until the child is reaped its group has its id, whether the child still runs or not.
    pub(super) fn kill(child: &mut Child) {
        // What has ended by itself is no error, and what may not be killed (it runs as another user) is left.
        let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
    }

    pub(super) fn wait(id: u32, _: &Mutex<Option<Child>>) {
        let Some(id) = i32::try_from(id).ok().and_then(Pid::from_raw) else { return };
        // Anything else than an interruption means that there is no such child any more.
        while waitid(WaitId::Pid(id), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT)
            .is_err_and(|error| error == rustix::io::Errno::INTR)
        {}
    }
}

/// Without groups of processes: what the child has started outlives it.
#[cfg(not(unix))]
mod system {
    use std::process::Child;
    use std::sync::Mutex;
    use std::time::Duration;

    pub(super) fn kill(child: &mut Child) {
        let _ = child.kill();
    }

    pub(super) fn wait(_: u32, child: &Mutex<Option<Child>>) {
        let is_running =
            || super::lock(child).as_mut().is_some_and(|child| child.try_wait().is_ok_and(|end| end.is_none()));
        while is_running() {
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}
