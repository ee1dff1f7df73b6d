//! One change of a file at a time: calls that change one file do it one after another, in the order of their asking.
//!
//! The queues are the process's; a host that has queues, too, is asked afterwards. Two names of one file share a queue, except where Pi keeps them apart: a file that is not
//! there yet has, beside the name of the file that it will be, the name that it was asked for by. A tool waits for both,
//! [`with_file_mutation_queue`], as in Pi, for the second alone.

use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};
use std::io;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::task::Poll;

use tokio::sync::oneshot;

use crate::context::{ToolContext, block_on};
use crate::error::ToolError;
use crate::host::{FileLock, has_made};
use crate::path::{FilePaths, absolute, is_missing, real};

/// Runs a future while nothing else changes this file: Pi's `withFileMutationQueue`, with its rules.
///
/// It takes the path as it is, a relative one from the process's working directory. Symbolic links are followed as far as
/// the file is there. Tools have [`ToolContext::mutate_file`], which knows the call's folder and more names of a file.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let length = pi_tools::with_file_mutation_queue("notes.txt", async { "tea".len() }).await.unwrap();
/// assert_eq!(length, 3);
/// # }
/// ```
///
/// # Errors
///
/// When the path cannot be looked up, for another reason than that nothing is there; and when this future is part of one
/// that has the file already, so that it would wait for itself. The future does not run then.
pub async fn with_file_mutation_queue<F: Future>(path: impl AsRef<Path>, change: F) -> Result<F::Output, ToolError> {
    let path = absolute(path.as_ref())?;
    let names = vec![asked_for(&path)?];
    let mut held = Held::join(vec![(path, names)], &Arc::from(""))?;
    held.turn().await;
    Ok(held.run(change).await)
}

impl ToolContext {
    /// Runs a future while no other call changes this file, or any of these files.
    ///
    /// A relative path is one in the call's folder. Read and check the file inside, too: only there nobody else changes
    /// it. For the file of an argument, `#[arg(mutates)]` does it around the whole call.
    ///
    /// Calls go in the order in which they ask. The file is free again when the future ends, panics or is dropped.
    /// Several files are asked for at once, `cx.mutate_file([&from, &to], ..)`: a call that takes one while it has
    /// another may wait for a call that does so the other way round. A task that the future spawns has no file of it.
    ///
    /// ```
    /// use pi_tools::prelude::*;
    ///
    /// /// Add a line to today's notes.
    /// #[pi_tool]
    /// async fn note(
    ///     /// The line.
    ///     text: String,
    ///     cx: &ToolContext,
    /// ) -> Result<String, ToolError> {
    ///     let file = cx.cwd().join("today.txt");
    ///     cx.mutate_file(&file, async {
    ///         let notes = std::fs::read_to_string(&file).unwrap_or_default();
    ///         pi_tools::path::replace_file(&file, notes + &text + "\n")
    ///     })
    ///     .await??;
    ///     Ok("Noted.".to_owned())
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// When a path cannot be looked up, for another reason than that nothing is there; when two paths are one file, or
    /// this future is part of one that has the file already, so that it would wait for itself; when another call made this
    /// one, with [`execute_tool`](Self::execute_tool), and has the file; and when the call is cancelled while it waits. The
    /// future does not run then.
    pub async fn mutate_file<F: Future>(&self, path: impl FilePaths, change: F) -> Result<F::Output, ToolError> {
        let mut held = Held::of_files(path.file_paths(self.cwd())?, self)?;
        held.turn_of(self).await?;
        Ok(held.run(change).await)
    }

    /// [`mutate_file`](Self::mutate_file) for a tool that is a `fn`: blocks until it is its turn, and while the closure
    /// runs.
    ///
    /// ```
    /// # let cx = pi_tools::ToolContext::new();
    /// let length = cx.mutate_file_blocking("@notes.txt", || "tea".len()).unwrap();
    /// assert_eq!(length, 3);
    /// ```
    ///
    /// # Errors
    ///
    /// As [`mutate_file`](Self::mutate_file).
    pub fn mutate_file_blocking<T>(&self, path: impl FilePaths, change: impl FnOnce() -> T) -> Result<T, ToolError> {
        let mut held = Held::of_files(path.file_paths(self.cwd())?, self)?;
        block_on(held.turn_of(self))?;
        Ok(held.run_blocking(change))
    }
}

/// Pi's words.
pub(crate) fn aborted() -> ToolError {
    ToolError::new("Operation aborted")
}

/// The name of a file's queue in Pi: the file that is there, or the path.
fn asked_for(path: &Path) -> io::Result<PathBuf> {
    match std::fs::canonicalize(path) {
        Err(error) if is_missing(&error) => Ok(path.to_owned()),
        known => known,
    }
}

/// Places in the queues of some files, or the files themselves when it is their turn. Dropped, it leaves.
pub(crate) struct Held {
    /// What the host gave of them. Given back first: whoever is next here asks the host, too.
    locks: Vec<FileLock>,
    places: Vec<Place>,
}

impl Held {
    /// Joins the queues of these files, by absolute paths, for a call.
    pub(crate) fn of_files(paths: Vec<PathBuf>, cx: &ToolContext) -> Result<Self, ToolError> {
        let names = |path: PathBuf| {
            let (asked_for, real) = (asked_for(&path)?, real(&path)?);
            let names = if asked_for == real { vec![real] } else { vec![asked_for, real] };
            Ok((path, names))
        };
        let files: io::Result<Vec<_>> = paths.into_iter().map(names).collect();
        Self::join(files?, cx.call_id_shared())
    }

    /// Joins the queues of these names, of files by these paths. All at once, so that of two calls with several files one
    /// is first in every queue.
    fn join(files: Vec<(PathBuf, Vec<PathBuf>)>, call_id: &Arc<str>) -> Result<Self, ToolError> {
        let mut joined: Vec<(Arc<Path>, PathBuf)> = Vec::new();
        for (path, names) in files {
            if names.iter().any(|name| OWN.with_borrow(|own| own.iter().any(|other| **other == **name))) {
                let path = path.display();
                return Err(ToolError::new(format!(
                    "{path} is being changed by this call already, which would wait for itself"
                )));
            }
            if let Some((_, other)) = joined.iter().find(|(name, _)| names.contains(&name.to_path_buf())) {
                let (path, other) = (path.display(), other.display());
                return Err(ToolError::new(if path.to_string() == other.to_string() {
                    format!("{path} is named twice: name every file once")
                } else {
                    format!("{other} and {path} are the same file: name every file once")
                }));
            }
            joined.extend(names.into_iter().map(|name| (Arc::from(name), path.clone())));
        }
        if joined.is_empty() {
            return Ok(Self { places: Vec::new(), locks: Vec::new() });
        }
        let mut queues = queues();
        // One that only waits is beside this: it ends without it.
        let holder = |name| queues.get(name).and_then(VecDeque::front);
        let is_of_maker = |name| holder(name).is_some_and(|other| has_made(&other.call_id, call_id));
        if let Some((_, path)) = joined.iter().find(|(name, _)| is_of_maker(name)) {
            return Err(ToolError::new(format!(
                "{} is being changed by the call that made this one, and each would wait for the other",
                path.display()
            )));
        }
        let places = joined.into_iter().map(|(name, _)| Place::join(&mut queues, name, call_id)).collect();
        Ok(Self { places, locks: Vec::new() })
    }

    /// Waits until these are the first everywhere.
    async fn turn(&mut self) {
        for place in &mut self.places {
            // A place that is there is called.
            _ = (&mut place.turn).await;
        }
    }

    /// [`turn`](Self::turn), and then that of the host, who may know of others that change files; unless the call is
    /// cancelled before.
    pub(crate) async fn turn_of(&mut self, cx: &ToolContext) -> Result<(), ToolError> {
        let mut turn = pin!(async {
            self.turn().await;
            // In one order, so that of two processes with several files one has the first, and then all.
            let mut names: Vec<&Path> = self.places.iter().map(|place| &*place.name).collect();
            names.sort_unstable();
            for name in names {
                self.locks.push(cx.host().lock_file(cx.call_id(), name).await?);
            }
            Ok(())
        });
        let mut cancelled = pin!(cx.cancelled());
        std::future::poll_fn(|task| match turn.as_mut().poll(task) {
            Poll::Ready(turn) => Poll::Ready(turn),
            Poll::Pending => cancelled.as_mut().poll(task).map(|()| Err(aborted())),
        })
        .await
    }

    /// Runs a future that has the files.
    pub(crate) async fn run<F: Future>(&self, change: F) -> F::Output {
        let mut change = pin!(change);
        std::future::poll_fn(|task| {
            let _own = Own::enter(&self.places);
            change.as_mut().poll(task)
        })
        .await
    }

    /// Runs a closure that has the files, and lets them go.
    pub(crate) fn run_blocking<T>(self, change: impl FnOnce() -> T) -> T {
        let _own = Own::enter(&self.places);
        change()
    }
}

thread_local! {
    /// The names of the files that what runs on this thread has.
    static OWN: RefCell<Vec<Arc<Path>>> = const { RefCell::new(Vec::new()) };
}

/// While it is there, this thread has some more files; before it, it had this many.
struct Own(usize);

impl Own {
    fn enter(places: &[Place]) -> Self {
        OWN.with_borrow_mut(|own| {
            let before = own.len();
            own.extend(places.iter().map(|place| Arc::clone(&place.name)));
            Self(before)
        })
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        OWN.with_borrow_mut(|own| own.truncate(self.0));
    }
}

/// Who waits for each file, by its name. The first has it.
type Queues = HashMap<Arc<Path>, VecDeque<Waiting>>;

struct Waiting {
    number: u64,
    call_id: Arc<str>,
    /// Tells it that it is first, once.
    call: Option<oneshot::Sender<()>>,
}

fn queues() -> MutexGuard<'static, Queues> {
    static QUEUES: LazyLock<Mutex<Queues>> = LazyLock::new(Mutex::default);
    // No code of a tool runs under this lock.
    QUEUES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One place in the queue of a name.
struct Place {
    name: Arc<Path>,
    number: u64,
    turn: oneshot::Receiver<()>,
}

impl Place {
    fn join(queues: &mut Queues, name: Arc<Path>, call_id: &Arc<str>) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let (call, turn) = oneshot::channel();
        let queue = queues.entry(Arc::clone(&name)).or_default();
        if queue.is_empty() {
            _ = call.send(());
            queue.push_back(Waiting { number, call_id: Arc::clone(call_id), call: None });
        } else {
            queue.push_back(Waiting { number, call_id: Arc::clone(call_id), call: Some(call) });
        }
        Self { name, number, turn }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut queues = queues();
        let Some(queue) = queues.get_mut(&self.name) else { return };
        queue.retain(|waiting| waiting.number != self.number);
        let next = queue.front_mut().and_then(|first| first.call.take());
        if queue.is_empty() {
            queues.remove(&self.name);
        }
        // Whoever it wakes may want a place at once.
        drop(queues);
        if let Some(next) = next {
            // Who no longer listens leaves by itself.
            _ = next.send(());
        }
    }
}
