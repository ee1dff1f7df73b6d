//! Paths from the model, and calls that change files.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use pi_tools::path::replace_file;
use pi_tools::prelude::*;
use pi_tools::{CancellationToken, with_file_mutation_queue};
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

/// Add one to the number in a file.
#[pi_tool]
async fn increment(
    /// The file.
    #[arg(mutates)]
    path: ToolPath,
    cx: &ToolContext,
) -> Result<String, ToolError> {
    let file = path.resolve(cx.cwd())?;
    let number: u32 = fs::read_to_string(&file)?.parse()?;
    tokio::task::yield_now().await;
    fs::write(file, (number + 1).to_string())?;
    Ok((number + 1).to_string())
}

/// Add one to the number in a file, on a thread.
#[pi_tool]
fn increment_blocking(
    /// The file.
    #[arg(mutates)]
    path: ToolPath,
    cx: &ToolContext,
) -> Result<(), ToolError> {
    let file = path.resolve(cx.cwd())?;
    let number: u32 = fs::read_to_string(&file)?.parse()?;
    std::thread::yield_now();
    Ok(fs::write(file, (number + 1).to_string())?)
}

/// Add one to the number in a file that the body finds out.
#[pi_tool]
async fn increment_inside(
    /// The file.
    path: ToolPath,
    cx: &ToolContext,
) -> Result<String, ToolError> {
    cx.mutate_file(&path, increment(path.clone(), cx)).await?
}

/// Add one to the number in a file that the body finds out, on a thread.
#[pi_tool]
fn increment_inside_blocking(
    /// The file.
    path: ToolPath,
    cx: &ToolContext,
) -> Result<(), ToolError> {
    cx.mutate_file_blocking(&path, || increment_blocking(path.clone(), cx))?
}

/// How a call ends.
#[derive(Clone, Copy, Debug, StringEnum)]
enum End {
    Well,
    Error,
    Panic,
    Never,
}

/// What happened, in the order of it.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    fn push(&self, entry: impl Into<String>) {
        self.0.lock().unwrap().push(entry.into());
    }

    fn entries(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

/// Change files for a while.
#[pi_tool(timeout = "300ms")]
async fn hold(
    /// The file.
    #[arg(mutates)]
    path: ToolPath,
    /// Another file.
    #[arg(mutates)]
    other: Option<ToolPath>,
    /// More files.
    #[arg(mutates, default = Vec::new())]
    more: Vec<ToolPath>,
    /// How the call ends.
    #[arg(default = End::Well)]
    end: End,
    /// For how long, in milliseconds.
    #[arg(default = 0)]
    pause: u64,
    log: &Log,
    cx: &ToolContext,
) -> Result<String, ToolError> {
    log.push(format!("start {}", cx.call_id()));
    sleep(Duration::from_millis(pause)).await;
    let text = format!("{path} {other:?} {more:?}");
    match end {
        End::Well => {}
        End::Error => return Err("failed".into()),
        End::Panic => panic!("on purpose"),
        End::Never => std::future::pending().await,
    }
    log.push(format!("end {}", cx.call_id()));
    Ok(text)
}

/// Change a file for ever.
#[pi_tool]
async fn hold_forever(
    /// The file.
    path: ToolPath,
    cx: &ToolContext,
) -> Result<(), ToolError> {
    cx.mutate_file([&path], std::future::pending()).await
}

/// Change a file for a while, on a thread.
#[pi_tool(timeout = "20ms")]
fn hold_blocking(
    /// The file.
    #[arg(mutates)]
    path: PathBuf,
    /// How the call ends.
    end: End,
    log: &Log,
) -> Result<String, ToolError> {
    std::thread::sleep(Duration::from_millis(if let End::Never = end { 200 } else { 0 }));
    match end {
        End::Error => return Err("failed".into()),
        End::Panic => panic!("on purpose"),
        End::Well | End::Never => {}
    }
    log.push("end of the thread");
    Ok(path.display().to_string())
}

/// Change a file, and in it another.
#[pi_tool]
async fn nest(
    /// The file.
    #[arg(mutates)]
    path: ToolPath,
    /// The file in it.
    inner: ToolPath,
    log: &Log,
    cx: &ToolContext,
) -> Result<String, ToolError> {
    let change = async {
        log.push("inner");
        format!("changed {inner} in {path}")
    };
    cx.mutate_file(&inner, change).await
}

/// Change a file, and in it another, on a thread.
#[pi_tool]
fn nest_blocking(
    /// The file.
    #[arg(mutates)]
    path: ToolPath,
    /// The file in it.
    inner: ToolPath,
    cx: &ToolContext,
) -> Result<String, ToolError> {
    cx.mutate_file_blocking(&inner, || format!("changed {inner} in {path}"))
}

/// Change a file, and call a tool that changes another.
#[pi_tool]
async fn nest_call(
    /// The file.
    #[arg(mutates)]
    path: ToolPath,
    /// The file of the other tool.
    inner: ToolPath,
    cx: &ToolContext,
) -> Result<String, ToolError> {
    let arguments = json!({ "path": inner.as_str() });
    let output = Toolbox::builder().tool(Increment).build()?.call_with("increment_again", arguments, cx).await;
    Ok(format!("{path}: {}", output.to_text()))
}

/// Add one.
#[pi_tool(handle = Increment, register = false)]
async fn increment_again(
    /// The file.
    #[arg(mutates)]
    path: ToolPath,
    cx: &ToolContext,
) -> Result<String, ToolError> {
    increment(path, cx).await
}

/// A toolbox, its log, a folder with the numbers `a` and `b`, a link to `a` and one to a folder, and a context in it.
struct Lab {
    toolbox: Arc<Toolbox>,
    log: Log,
    folder: tempfile::TempDir,
    cx: ToolContext,
}

impl Lab {
    fn new() -> Self {
        let log = Log::default();
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("a"), "0").unwrap();
        fs::write(at("b"), "0").unwrap();
        fs::create_dir(at("real")).unwrap();
        symlink("a", at("link")).unwrap();
        symlink("real", at("folder")).unwrap();
        symlink("nowhere", at("dangling")).unwrap();
        let cx = ToolContext::new().with_cwd(folder.path());
        let toolbox = Arc::new(Toolbox::builder().linked().provide(log.clone()).build().unwrap());
        Self { toolbox, log, folder, cx }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    async fn call(&self, name: &str, arguments: Value) -> ToolOutput {
        answered(self.toolbox.call_with(name, arguments, &self.cx)).await
    }

    /// Starts a call, and waits until it has run as far as it can by itself.
    async fn start(&self, id: &str, arguments: Value) -> tokio::task::JoinHandle<ToolOutput> {
        self.start_with(self.cx.clone().with_call_id(id), arguments).await
    }

    /// A call that has the file until it is aborted.
    async fn hold_forever(&self, path: &str) -> tokio::task::JoinHandle<ToolOutput> {
        let (toolbox, cx, arguments) = (Arc::clone(&self.toolbox), self.cx.clone(), json!({ "path": path }));
        let call = tokio::spawn(async move { toolbox.call_with("hold_forever", arguments, &cx).await });
        tokio::task::yield_now().await;
        call
    }

    async fn start_with(&self, cx: ToolContext, arguments: Value) -> tokio::task::JoinHandle<ToolOutput> {
        let toolbox = Arc::clone(&self.toolbox);
        let call = tokio::spawn(async move { answered(toolbox.call_with("hold", arguments, &cx)).await });
        tokio::task::yield_now().await;
        call
    }
}

/// In place of a test that never ends.
async fn answered(call: impl Future<Output = ToolOutput>) -> ToolOutput {
    timeout(Duration::from_secs(20), call).await.expect("the call waits for ever")
}

/// The file is free: another call gets it.
async fn assert_free(lab: &Lab, path: &str) {
    let output = lab.call("hold", json!({ "path": path })).await;
    assert!(!output.is_error(), "{}", output.to_text());
}

async fn no_update_is_lost(tool: &str, calls: usize) {
    let lab = Lab::new();
    let spellings = ["a", "@a", "link", "./real/../a"];
    let calls: Vec<_> = (0..calls)
        .map(|index| {
            let (toolbox, cx, tool) = (Arc::clone(&lab.toolbox), lab.cx.clone(), tool.to_owned());
            let arguments = json!({ "path": spellings[index % spellings.len()] });
            tokio::spawn(async move { toolbox.call_with(&tool, arguments, &cx).await })
        })
        .collect();
    let count = calls.len().to_string();
    for call in calls {
        let output = call.await.unwrap();
        assert!(!output.is_error(), "{}", output.to_text());
    }
    assert_eq!(fs::read_to_string(lab.at("a")).unwrap(), count);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_thousand_calls_lose_no_update() {
    no_update_is_lost("increment", 1000).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_thousand_blocking_calls_lose_no_update() {
    no_update_is_lost("increment_blocking", 1000).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_thousand_bodies_lose_no_update() {
    no_update_is_lost("increment_inside", 1000).await;
    no_update_is_lost("increment_inside_blocking", 200).await;
}

/// Beside calls of tools, and with one context for all.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn functions_and_calls_share_the_queue() {
    let lab = Lab::new();
    let mut calls = Vec::new();
    for _ in 0..100 {
        let (toolbox, cx) = (Arc::clone(&lab.toolbox), lab.cx.clone());
        calls.push(tokio::spawn(async move { toolbox.call_with("increment", json!({ "path": "link" }), &cx).await }));
        let (path, cx) = (lab.at("a"), lab.cx.clone());
        calls.push(tokio::spawn(async move {
            with_file_mutation_queue(path, increment("a".into(), &cx)).await.unwrap().unwrap();
            ToolOutput::text("")
        }));
        let cx = lab.cx.clone();
        calls.push(tokio::spawn(async move {
            cx.mutate_file("@a", increment("a".into(), &cx)).await.unwrap().unwrap();
            ToolOutput::text("")
        }));
    }
    for call in calls {
        assert!(!call.await.unwrap().is_error());
    }
    assert_eq!(fs::read_to_string(lab.at("a")).unwrap(), "300");
}

#[tokio::test]
async fn first_in_first_out() {
    let lab = Lab::new();
    let mut calls = Vec::new();
    for number in 0..20 {
        let path = ["a", "link", "@a"][number % 3];
        calls.push(lab.start(&number.to_string(), json!({ "path": path, "pause": 1 })).await);
    }
    for call in calls {
        call.await.unwrap();
    }
    let expected: Vec<_> = (0..20).flat_map(|number| [format!("start {number}"), format!("end {number}")]).collect();
    assert_eq!(lab.log.entries(), expected);
}

#[tokio::test]
async fn different_files_do_not_wait() {
    let lab = Lab::new();
    let _first = lab.hold_forever("a").await;
    assert_free(&lab, "b").await;
    assert_free(&lab, "real/new").await;
    let output = timeout(Duration::from_millis(100), lab.call("hold", json!({ "path": "link" }))).await;
    assert!(output.is_err(), "the file is not free");
}

/// Of a file that is not there, a tool knows the name that it will have.
#[tokio::test]
async fn a_new_file_has_one_queue() {
    let lab = Lab::new();
    for (first, second) in [("folder/new", "real/new"), ("dangling", "nowhere"), ("real/x/y", "@folder/x/./y")] {
        for (first, second) in [(first, second), (second, first)] {
            let holder = lab.hold_forever(first).await;
            let second = lab.call("hold", json!({ "path": second }));
            assert!(timeout(Duration::from_millis(50), second).await.is_err(), "{first}");
            holder.abort();
        }
    }
    // In Pi's queue, too: by the name that it was asked for, or as the file that it will be.
    let holder = lab.hold_forever("folder/new").await;
    for path in ["folder/new", "real/new"] {
        let change = with_file_mutation_queue(lab.at(path), async {});
        assert!(timeout(Duration::from_millis(50), change).await.is_err(), "{path}");
    }
    holder.abort();
}

#[tokio::test]
async fn whatever_ends_a_call_frees_its_file() {
    let lab = Lab::new();
    for end in ["well", "error", "panic", "never"] {
        let waiter = {
            let call = lab.start("1", json!({ "path": "a", "end": end })).await;
            let waiter = lab.start("2", json!({ "path": "link" })).await;
            assert_eq!(call.await.unwrap().is_error(), end != "well", "{end}");
            waiter
        };
        assert!(!waiter.await.unwrap().is_error(), "{end}");
        assert_free(&lab, "a").await;
    }
}

#[tokio::test]
async fn a_cancelled_call_frees_its_file() {
    let lab = Lab::new();
    let token = CancellationToken::new();
    let toolbox = Arc::clone(&lab.toolbox);
    let cx = lab.cx.clone().with_cancellation(token.clone());
    let call = tokio::spawn(async move { toolbox.call_with("hold_forever", json!({ "path": "a" }), &cx).await });
    tokio::task::yield_now().await;
    let waiter = lab.start("2", json!({ "path": "a" })).await;
    token.cancel();
    assert_eq!(call.await.unwrap().to_text(), "Operation aborted");
    assert!(!waiter.await.unwrap().is_error());
    assert_free(&lab, "a").await;
}

#[tokio::test]
async fn a_dropped_call_frees_its_file() {
    let lab = Lab::new();
    let call = lab.hold_forever("a").await;
    let waiter = lab.start("2", json!({ "path": "a" })).await;
    call.abort();
    assert!(!waiter.await.unwrap().is_error());
    assert_free(&lab, "a").await;
}

#[tokio::test]
async fn whatever_ends_a_blocking_call_frees_its_file() {
    let lab = Lab::new();
    for end in ["well", "error", "panic"] {
        let output = lab.call("hold_blocking", json!({ "path": lab.at("a"), "end": end })).await;
        assert_eq!(output.is_error(), end != "well", "{end}");
        assert_free(&lab, "a").await;
    }
}

/// A thread cannot be dropped: it has the file until it ends, whatever has been answered.
#[tokio::test]
async fn a_thread_keeps_its_file_after_the_timeout() {
    let lab = Lab::new();
    let output = lab.call("hold_blocking", json!({ "path": "a", "end": "never" })).await;
    assert!(output.to_text().contains("took longer"), "{}", output.to_text());
    assert!(lab.log.entries().is_empty());
    lab.call("hold", json!({ "path": "link" })).await;
    assert_eq!(lab.log.entries(), ["end of the thread", "start ", "end "]);
}

#[tokio::test]
async fn waiting_is_not_the_time_of_a_call() {
    let lab = Lab::new();
    let first = lab.start("1", json!({ "path": "a", "pause": 250 })).await;
    let second = lab.start("2", json!({ "path": "a", "pause": 250 })).await;
    let third = lab.start("3", json!({ "path": "a" })).await;
    for call in [first, second, third] {
        assert!(!call.await.unwrap().is_error());
    }
}

#[tokio::test]
async fn a_cancelled_waiter_leaves_at_once() {
    let lab = Lab::new();
    let first = lab.start("1", json!({ "path": "a", "pause": 200 })).await;
    let token = CancellationToken::new();
    let cx = lab.cx.clone().with_call_id("2").with_cancellation(token.clone());
    let second = lab.start_with(cx, json!({ "path": "a" })).await;
    let third = lab.start("3", json!({ "path": "a" })).await;
    token.cancel();
    assert_eq!(second.await.unwrap().to_text(), "Operation aborted");
    assert!(!first.is_finished());
    first.await.unwrap();
    assert!(!third.await.unwrap().is_error());
    assert_eq!(lab.log.entries(), ["start 1", "end 1", "start 3", "end 3"]);
}

#[tokio::test]
async fn a_thread_that_waits_is_cancelled() {
    let lab = Lab::new();
    let _holder = lab.hold_forever("a").await;
    let token = CancellationToken::new();
    let cx = lab.cx.clone().with_cancellation(token.clone());
    let waiter = tokio::task::spawn_blocking(move || cx.mutate_file_blocking("a", || panic!("it is not free")));
    sleep(Duration::from_millis(20)).await;
    token.cancel();
    assert_eq!(waiter.await.unwrap().unwrap_err().message(), "Operation aborted");
}

#[tokio::test]
async fn a_call_does_not_wait_for_itself() {
    let lab = Lab::new();
    for tool in ["nest", "nest_blocking", "nest_call"] {
        for inner in ["a", "@./a", "link"] {
            let text = lab.call(tool, json!({ "path": "a", "inner": inner })).await.to_text();
            let path = lab.at(inner.trim_start_matches("@./"));
            let message = format!("{} is being changed by this call already", path.display());
            assert!(text.contains(&message), "{tool} {inner}: {text}");
        }
        let output = lab.call(tool, json!({ "path": "a", "inner": "b" })).await;
        assert!(!output.is_error() && !output.to_text().contains("already"), "{tool}: {}", output.to_text());
        assert_free(&lab, "a").await;
        assert_free(&lab, "b").await;
    }
    assert_eq!(lab.log.entries().iter().filter(|entry| *entry == "inner").count(), 1);

    let outer = with_file_mutation_queue(lab.at("a"), with_file_mutation_queue(lab.at("link"), async {}));
    assert!(outer.await.unwrap().unwrap_err().message().contains("already"));
    // Beside each other, or one after the other, they are two.
    let (first, second) = tokio::join!(lab.cx.mutate_file("a", async { 1 }), lab.cx.mutate_file("link", async { 2 }));
    assert_eq!((first.unwrap(), second.unwrap()), (1, 2));
}

#[tokio::test]
async fn one_file_twice_is_an_error() {
    let lab = Lab::new();
    let [a, link] = ["a", "link"].map(|name| lab.at(name).display().to_string());
    for (arguments, message) in [
        (json!({ "path": "a", "other": "@a" }), format!("{a} is named twice: name every file once")),
        (json!({ "path": "a", "other": "link" }), format!("{a} and {link} are the same file: name every file once")),
        (
            json!({ "path": "b", "more": ["link", "a"] }),
            format!("{link} and {a} are the same file: name every file once"),
        ),
    ] {
        let output = lab.call("hold", arguments).await;
        assert_eq!(output.to_text(), format!("Tool \"hold\" failed: {message}"));
        assert!(output.is_error() && lab.log.entries().is_empty());
    }
    let output = lab.call("hold", json!({ "path": "a", "other": null, "more": ["b", "real/new"] })).await;
    assert!(!output.is_error(), "{}", output.to_text());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_order_of_several_files_does_not_matter() {
    let lab = Lab::new();
    let mut calls = Vec::new();
    for number in 0..400 {
        let (path, other) = if number % 2 == 0 { ("a", "b") } else { ("b", "link") };
        let arguments = json!({ "path": path, "other": other, "more": ["real/new", "folder/newer"] });
        let (toolbox, cx) = (Arc::clone(&lab.toolbox), lab.cx.clone());
        calls.push(tokio::spawn(async move { answered(toolbox.call_with("hold", arguments, &cx)).await }));
    }
    for call in calls {
        let output = call.await.unwrap();
        assert!(!output.is_error(), "{}", output.to_text());
    }
    let entries = lab.log.entries();
    assert!(entries.chunks(2).all(|pair| pair[0] == "start " && pair[1] == "end "), "{entries:?}");
}

#[tokio::test]
async fn what_cannot_be_looked_up_is_an_error() {
    let lab = Lab::new();
    symlink("circle", lab.at("circle")).unwrap();
    for path in ["circle", "a\0b", "file://host/a"] {
        let output = lab.call("hold", json!({ "path": path })).await;
        assert!(output.is_error() && output.to_text().starts_with("Tool \"hold\" failed: "), "{}", output.to_text());
    }
    assert!(lab.log.entries().is_empty());
    assert!(with_file_mutation_queue(lab.at("circle"), async {}).await.is_err());
}

/// Take every kind of path.
#[pi_tool(handle = Kinds, register = false)]
fn kinds(
    /// With a default.
    #[arg(mutates, default = "@src", length = 1..)]
    path: ToolPath,
    /// Of serde's own.
    #[arg(mutates)]
    #[serde(deserialize_with = "doubled")]
    #[schemars(with = "String")]
    doubled: Option<ToolPath>,
    /// A text.
    #[arg(mutates, rename = "inText")]
    text: String,
    /// Removed.
    #[cfg(any())]
    #[arg(mutates)]
    never: ToolPath,
) -> String {
    format!("{path} {doubled:?} {text}")
}

fn doubled<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<ToolPath>, D::Error> {
    let text = String::deserialize(deserializer)?;
    Ok(Some(format!("{text}{text}").into()))
}

#[tokio::test]
async fn the_paths_are_those_of_the_decoded_arguments() {
    let lab = Lab::new();
    let toolbox = Toolbox::builder().tool(Kinds).build().unwrap();
    toolbox.verify().unwrap();
    let schema = toolbox.get("kinds").unwrap().parameters().unwrap().schema();
    assert_eq!(
        schema["properties"]["path"],
        json!({ "type": "string", "description": "With a default.", "default": "@src", "minLength": 1 })
    );
    let output = toolbox.call_with("kinds", json!({ "doubled": "x", "inText": "@a" }), &lab.cx).await;
    assert_eq!(output.to_text(), r#"@src Some(ToolPath("xx")) @a"#);
    // The decoded one is "aa", the text is "a", and the default is "src".
    for (arguments, file) in [
        (json!({ "doubled": "a", "inText": "aa" }), "aa"),
        (json!({ "doubled": "x", "inText": "./src" }), "src"),
        (json!({ "doubled": "x", "inText": "@a", "path": "b/../a" }), "a"),
    ] {
        let output = answered(toolbox.call_with("kinds", arguments, &lab.cx)).await;
        let message = format!("Tool \"kinds\" failed: {} is named twice: name every file once", lab.at(file).display());
        assert_eq!(output.to_text(), message);
    }
}

#[test]
fn without_a_runtime_calls_wait_too() {
    let lab = Lab::new();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..20 {
                    lab.cx.mutate_file_blocking("link", || increment_blocking("a".into(), &lab.cx)).unwrap().unwrap();
                }
            });
        }
    });
    assert_eq!(fs::read_to_string(lab.at("a")).unwrap(), "160");
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_replaced_file_keeps_its_links_and_its_mode() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let at = |name: &str| folder.join(name);
    fs::write(at("file"), "old").unwrap();
    fs::set_permissions(at("file"), fs::Permissions::from_mode(0o750)).unwrap();
    symlink("file", at("link")).unwrap();
    symlink("new", at("dangling")).unwrap();
    replace_file(at("link"), "new").unwrap();
    assert!(fs::symlink_metadata(at("link")).unwrap().is_symlink());
    assert_eq!(fs::read(at("file")).unwrap(), b"new");
    assert_eq!(fs::metadata(at("file")).unwrap().permissions().mode() & 0o7777, 0o750);
    replace_file(at("dangling"), b"there").unwrap();
    assert_eq!(fs::read(at("new")).unwrap(), b"there");
    // A new file has the mode that any has.
    fs::write(at("plain"), "").unwrap();
    let [new, plain] = ["new", "plain"].map(|name| fs::metadata(at(name)).unwrap().permissions().mode());
    assert_eq!(new, plain);
    assert_eq!(names(folder), ["dangling", "file", "link", "new", "plain"]);
}

#[test]
fn what_cannot_be_replaced_is_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::create_dir(folder.join("folder")).unwrap();
    assert_eq!(replace_file(folder.join("folder"), "x").unwrap_err().kind(), ErrorKind::InvalidInput);
    assert_eq!(replace_file(folder.join("missing/file"), "x").unwrap_err().kind(), ErrorKind::NotFound);
    assert!(replace_file("/dev/null", "x").unwrap_err().to_string().contains("no regular file"));
    assert_eq!(names(folder), ["folder"]);
}

/// Whoever reads meanwhile sees one content or the other.
#[test]
fn nobody_sees_a_part() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    let contents = ["a".repeat(200_000), "b".repeat(100_000)];
    replace_file(&file, &contents[0]).unwrap();
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| (1..40).for_each(|turn| replace_file(&file, &contents[turn % 2]).unwrap()));
        while !writer.is_finished() {
            assert!(contents.contains(&fs::read_to_string(&file).unwrap()));
        }
    });
}
