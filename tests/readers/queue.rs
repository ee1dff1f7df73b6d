//! Paths, and the queue of file mutations.

use std::fs;
use std::future::poll_fn;
use std::os::unix::fs::symlink;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::task::Poll;

use pi_tools::path::{expand_path, resolve_to_cwd};
use pi_tools::with_file_mutation_queue;
use serde_json::Value;
use tokio::sync::oneshot;

/// What a path from the model means.
pub(crate) fn path(case: &Value) -> Result<(), String> {
    let text = |key: &str| case[key].as_str().unwrap();
    let (input, home, cwd) = (text("input"), Path::new(text("home")), Path::new(text("cwd")));
    agrees("expandPath", expand_path(input, home), &case["expandPath"])?;
    agrees("resolveToCwd", resolve_to_cwd(input, cwd, home), &case["resolveToCwd"])
}

/// By their texts, as `a/` and `a` are one path. Where Pi has no path, there is an error.
fn agrees(what: &str, got: std::io::Result<PathBuf>, expected: &Value) -> Result<(), String> {
    let got = got.map(|path| path.to_str().unwrap().to_owned());
    match (got, expected.as_str()) {
        (Ok(got), Some(expected)) if got == expected => Ok(()),
        (Err(_), None) => Ok(()),
        (got, _) => Err(format!("{what}: expected {expected}\n     got {got:?}")),
    }
}

/// What operations do to each other.
pub(crate) fn mutation(case: &Value) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let folder = folder();
    let folder = fs::canonicalize(folder.path()).unwrap();
    let log = Log::default();
    runtime.block_on(async {
        match case["kind"].as_str().unwrap() {
            "pair" => pair(case, &folder, &log).await,
            "race" => race(case, &folder, &log).await,
            "order" => order(case, &folder, &log).await,
            "error" => return outcomes(case, &folder, &log).await,
            kind => return Err(format!("unknown kind {kind}")),
        }
        let entries = log.entries();
        let place = |entry: &str| entries.iter().position(|other| *other == entry).unwrap();
        let order: Vec<Value> = case["order"].as_array().unwrap().clone();
        if let Some(expected) = case["serialized"].as_bool() {
            let serialized = place("end 1") < place("start 2") || place("end 2") < place("start 1");
            if serialized != expected {
                return Err(format!("expected serialized: {expected}\n     got {entries:?}"));
            }
        }
        same(&entries, &order)
    })
}

fn same(entries: &[Value], expected: &[Value]) -> Result<(), String> {
    if entries == expected { Ok(()) } else { Err(format!("expected {expected:?}\n     got {entries:?}")) }
}

/// The files that the notes of the cases tell.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("real")).unwrap();
    for file in ["a", "b", "real/f"] {
        fs::write(at(file), "").unwrap();
    }
    fs::hard_link(at("a"), at("hard")).unwrap();
    for (link, target) in
        [("link", "a"), ("dirlink", "real"), ("dangling", "nowhere"), ("loop1", "loop2"), ("loop2", "loop1")]
    {
        symlink(target, at(link)).unwrap();
    }
    folder
}

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<Value>>>);

impl Log {
    fn push(&self, entry: impl Into<Value>) {
        self.0.lock().unwrap().push(entry.into());
    }

    fn entries(&self) -> Vec<Value> {
        self.0.lock().unwrap().clone()
    }
}

/// Lets the others go on for a while.
async fn pause() {
    for _ in 0..20 {
        tokio::task::yield_now().await;
    }
}

/// An operation that tells when it starts and ends. Tasks of one thread begin in the order in which they are spawned.
fn operation(path: PathBuf, number: usize, log: &Log) -> tokio::task::JoinHandle<()> {
    let log = log.clone();
    tokio::spawn(async move {
        let change = async {
            log.push(format!("start {number}"));
            pause().await;
            log.push(format!("end {number}"));
        };
        with_file_mutation_queue(path, change).await.unwrap();
    })
}

/// The first path as one that is relative to the process's working directory, the second as it is.
async fn pair(case: &Value, folder: &Path, log: &Log) {
    let paths: Vec<&str> = case["paths"].as_array().unwrap().iter().map(|path| path.as_str().unwrap()).collect();
    let back = std::env::current_dir().unwrap();
    let up: PathBuf = back.components().filter(|part| matches!(part, Component::Normal(_))).map(|_| "..").collect();
    let relative = up.join(folder.strip_prefix("/").unwrap()).join(paths[0]);
    let first = operation(relative, 1, log);
    let second = operation(folder.join(paths[1]), 2, log);
    first.await.unwrap();
    second.await.unwrap();
}

/// The second operation begins when the first has made its file.
async fn race(case: &Value, folder: &Path, log: &Log) {
    let is_below_link = case["name"].as_str().unwrap().contains("symlinked directory");
    let path = folder.join(if is_below_link { "dirlink/new" } else { "new" });
    let (made, is_made) = oneshot::channel();
    let first = tokio::spawn({
        let (path, log) = (path.clone(), log.clone());
        async move {
            let change = async {
                log.push("start 1");
                fs::write(&path, "").unwrap();
                made.send(()).unwrap();
                pause().await;
                log.push("end 1");
            };
            with_file_mutation_queue(&path, change).await.unwrap();
        }
    });
    is_made.await.unwrap();
    operation(path, 2, log).await.unwrap();
    first.await.unwrap();
}

async fn order(case: &Value, folder: &Path, log: &Log) {
    let operations: Vec<_> = (0..case["order"].as_array().unwrap().len())
        .map(|number| {
            let (path, log) = (folder.join("a"), log.clone());
            let change = async move {
                pause().await;
                log.push(number);
            };
            tokio::spawn(async move { with_file_mutation_queue(path, change).await.unwrap() })
        })
        .collect();
    for operation in operations {
        operation.await.unwrap();
    }
}

/// One operation for each outcome, all on one file. An error of the system is one of looking up the path.
async fn outcomes(case: &Value, folder: &Path, log: &Log) -> Result<(), String> {
    let is_system =
        |text: &str| text.starts_with('E') && text.chars().take(4).all(|letter| letter.is_ascii_uppercase());
    let outcomes: Vec<&str> = case["outcomes"].as_array().unwrap().iter().map(|it| it.as_str().unwrap()).collect();
    let is_synchronous = case["name"].as_str().unwrap().contains("synchronous");
    let operations = outcomes.iter().zip(["first", "second", "third", "fourth", "fifth"]).map(|(outcome, ordinal)| {
        let rejected = outcome.strip_prefix("rejected: ");
        let path = folder.join(if rejected.is_some_and(is_system) { "loop1" } else { "a" });
        let (log, outcome) = (log.clone(), (*outcome).to_owned());
        tokio::spawn(async move {
            let mut yields = if is_synchronous { 0 } else { 3 };
            let change = poll_fn(|task| {
                if yields > 0 {
                    yields -= 1;
                    task.waker().wake_by_ref();
                    return Poll::Pending;
                }
                Poll::Ready(match outcome.strip_prefix("rejected: ") {
                    Some(message) => Err(message.to_owned()),
                    None => Ok(outcome.clone()),
                })
            });
            match with_file_mutation_queue(path, change).await {
                Ok(Ok(value)) => {
                    log.push(format!("{ordinal} ran"));
                    value
                }
                Ok(Err(message)) => format!("rejected: {message}"),
                Err(error) => format!("not run: {error}"),
            }
        })
    });
    let operations: Vec<_> = operations.collect();
    for (operation, expected) in operations.into_iter().zip(&outcomes) {
        let got = operation.await.unwrap();
        let is_refused = expected.strip_prefix("rejected: ").is_some_and(is_system) && got.starts_with("not run: ");
        if got != *expected && !is_refused {
            return Err(format!("expected {expected}\n     got {got}"));
        }
    }
    case["order"].as_array().map_or(Ok(()), |order| same(&log.entries(), order))
}
