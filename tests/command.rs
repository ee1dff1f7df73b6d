//! Child processes of calls: what they give, and that nothing of them is left.
#![cfg(unix)]

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Barrier, Mutex};
use std::time::{Duration, Instant};

use pi_tools::prelude::*;
use pi_tools::{Batch, BatchEvent, CancellationToken, Command, CommandOutput, Host, Session, ToolCall};
use serde_json::json;
use tempfile::TempDir;

/// A shell that starts another process and waits for it, after it has written down both of their ids.
const LINGER: &str = "sleep 600 & echo $! > child; echo $$ > leader; echo waiting; wait";

/// Wait for a child that waits for a child.
#[pi_tool(timeout = "10s")]
async fn linger(cx: &ToolContext) -> Result<CommandOutput, ToolError> {
    shell(cx, LINGER).output().await
}

/// The same, but not for long.
#[pi_tool(timeout = "200ms")]
async fn linger_shortly(cx: &ToolContext) -> Result<CommandOutput, ToolError> {
    shell(cx, LINGER).output().await
}

/// The same on a thread, which goes on when the call is over.
#[pi_tool(timeout = "200ms")]
fn linger_blocking(cx: &ToolContext, ends: &Ends) -> Result<CommandOutput, ToolError> {
    let output = shell(cx, LINGER).output_blocking();
    let late = shell(cx, "touch late").output_blocking();
    ends.0.lock().unwrap().extend([output, late].map(|end| end.unwrap_err().message().to_owned()));
    Err(ToolError::new("nobody reads this"))
}

#[derive(Clone, Default)]
struct Ends(Arc<Mutex<Vec<String>>>);

/// Panic while a child runs.
#[pi_tool]
async fn panic_beside(cx: &ToolContext) -> String {
    let leader = cx.cwd().join("leader");
    let panic = async {
        wait_for(&leader);
        panic!("on purpose")
    };
    tokio::join!(shell(cx, LINGER).output(), panic).1
}

/// Leave a task behind that has a child.
#[pi_tool]
async fn leave_behind(cx: &ToolContext) -> String {
    let leader = cx.cwd().join("leader");
    tokio::spawn(shell(cx, LINGER).output());
    while !leader.exists() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    "left".to_owned()
}

/// End well, but for a child in the background.
#[pi_tool]
async fn background(cx: &ToolContext) -> Result<CommandOutput, ToolError> {
    shell(cx, "sleep 600 & echo $! > child; echo $$ > leader; echo done").output().await
}

fn shell(cx: &ToolContext, script: &str) -> Command {
    cx.command("sh").args(["-c", script])
}

fn toolbox() -> (Toolbox, Ends) {
    let ends = Ends::default();
    let meeting = Meeting(Arc::new(Barrier::new(2)));
    (Toolbox::builder().linked().provide(ends.clone()).provide(meeting).build().unwrap(), ends)
}

fn folder() -> (TempDir, ToolContext) {
    let folder = tempfile::tempdir().unwrap();
    let cx = ToolContext::new().with_cwd(folder.path().canonicalize().unwrap());
    (folder, cx)
}

/// Waits until a file has a line, which is returned.
fn wait_for(file: &Path) -> String {
    let start = Instant::now();
    loop {
        match std::fs::read_to_string(file) {
            Ok(text) if text.ends_with('\n') => return text.trim().to_owned(),
            _ => assert!(start.elapsed() < Duration::from_secs(20), "{} is not written", file.display()),
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Whether a process runs. One that nobody has reaped yet does not.
fn runs(id: &str) -> bool {
    let stat = std::process::Command::new("ps").args(["-o", "stat=", "-p", id]).output().unwrap();
    let stat = String::from_utf8_lossy(&stat.stdout).trim().to_owned();
    !stat.is_empty() && !stat.starts_with('Z')
}

/// Waits for the end of the child, and of the child's child.
fn assert_gone(folder: &TempDir) {
    for name in ["leader", "child"] {
        let id = wait_for(&folder.path().join(name));
        let start = Instant::now();
        while runs(&id) {
            assert!(start.elapsed() < Duration::from_secs(5), "the {name} {id} still runs");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

#[test]
fn the_streams_are_kept_apart_and_together() {
    // No runtime is needed.
    let (_folder, cx) = folder();
    let output = shell(&cx, "echo one; sleep 0.2; echo two >&2; sleep 0.2; echo three").output_blocking().unwrap();
    assert_eq!((output.stdout(), output.stderr()), ("one\nthree\n", "two\n"));
    assert_eq!(output.text(), "one\ntwo\nthree\n");
    assert!(output.success() && !output.is_truncated() && output.full_output().is_none());
    assert_eq!(output.into_result().unwrap(), "one\ntwo\nthree\n");
}

#[test]
fn how_it_ended_is_told() {
    let (_folder, cx) = folder();
    let failed = shell(&cx, "exit 3").output_blocking().unwrap();
    assert_eq!((failed.code(), failed.signal(), failed.success()), (3, None, false));
    assert_eq!(failed.into_result().unwrap_err().message(), "(no output)\n\nCommand exited with code 3");
    let killed = shell(&cx, "echo x; kill -TERM $$").output_blocking().unwrap();
    assert_eq!((killed.code(), killed.signal(), killed.status().code()), (143, Some(15), None));
    assert_eq!(killed.into_result().unwrap_err().message(), "x\n\nCommand exited with code 143");
    assert_eq!(shell(&cx, ":").output_blocking().unwrap().into_result().unwrap(), "(no output)");
}

#[test]
fn it_runs_in_the_folder_of_the_call_and_reads_nothing() {
    let (folder, cx) = folder();
    std::fs::create_dir(folder.path().join("below")).unwrap();
    let text = |command: Command| command.output_blocking().unwrap().text().to_owned();
    assert_eq!(text(cx.command("pwd")), format!("{}\n", cx.cwd().display()));
    assert_eq!(text(cx.command("pwd").current_dir("below")), format!("{}/below\n", cx.cwd().display()));
    assert_eq!(text(cx.command("cat")), "");
    assert_eq!(text(cx.command("cat").stdin("tea")), "tea");
    assert_eq!(text(shell(&cx, "echo $TEA").env("TEA", "green")), "green\n");
    assert_eq!(text(shell(&cx, "echo ${TEA-none}").env("TEA", "green").env_remove("TEA")), "none\n");
    // A path is one from the call's folder, wherever it runs.
    let script = folder.path().join("below/script");
    std::os::unix::fs::symlink("/bin/pwd", &script).unwrap();
    assert_eq!(text(cx.command("below/script").current_dir("/")), "/\n");
}

#[test]
fn what_cannot_start_says_why() {
    let (_folder, cx) = folder();
    let error = cx.command("no-such-program").output_blocking().unwrap_err();
    let expected = "Failed to run no-such-program: it is not on the PATH. Install it, or add its folder there.";
    assert_eq!(error.message(), expected);
    let error = cx.command("./no-such-program").output_blocking().unwrap_err();
    assert!(error.message().starts_with("Failed to run ./no-such-program: No such file"), "{error}");
    let error = cx.command("pwd").current_dir("nowhere").output_blocking().unwrap_err();
    assert_eq!(error.message(), format!("Working directory does not exist: {}/nowhere", cx.cwd().display()));
}

#[test]
fn input_that_is_not_read_holds_nothing_up() {
    let (_folder, cx) = folder();
    let input = vec![b'x'; 8 << 20];
    assert!(cx.command("true").stdin(input.clone()).output_blocking().unwrap().success());
    let output = cx.command("cat").stdin(input).max_bytes(100).output_blocking().unwrap();
    assert_eq!(
        (output.stdout().len(), std::fs::metadata(output.full_output().unwrap()).unwrap().len()),
        (100, 8 << 20)
    );
}

#[test]
fn the_end_is_kept_and_all_of_it_is_in_a_file() {
    let (_folder, cx) = folder();
    let session = Session::new();
    let cx = cx.with_session(session.clone());
    let command =
        || shell(&cx, "i=0; while [ $i -lt 3000 ]; do i=$((i+1)); echo line $i; done; sleep 0.3; echo end >&2");
    let output = command().max_bytes(40).output_blocking().unwrap();
    assert!(output.is_truncated());
    assert!(output.text().len() <= 40 && output.text().ends_with("end"), "{}", output.text());
    assert_eq!(output.stdout(), "line 2997\nline 2998\nline 2999\nline 3000");
    assert_eq!(output.stderr(), "end\n");
    let file = output.full_output().unwrap().to_owned();
    let whole = std::fs::read_to_string(&file).unwrap();
    assert_eq!(whole.lines().count(), 3001);
    assert!(whole.starts_with("line 1\nline 2\n"), "{whole}");
    let text = output.into_result().unwrap();
    let notice = format!("[Showing lines 2998-3001 of 3001 (40B limit). Full output: {}]\n\n", file.display());
    assert!(text.starts_with(&notice), "{text}");
    // It fits by default.
    assert!(!command().output_blocking().unwrap().is_truncated());
    drop((cx, session));
    assert!(!file.exists());
}

#[test]
fn bytes_that_are_no_text_may_be_longer_as_one() {
    let (_folder, cx) = folder();
    let output = shell(&cx, r"printf '\377\377\377\377'").max_bytes(6).output_blocking().unwrap();
    assert_eq!((output.text(), output.is_truncated()), ("\u{FFFD}\u{FFFD}", true));
    assert_eq!(std::fs::read(output.full_output().unwrap()).unwrap(), [0xFF; 4]);
}

#[test]
fn its_own_timeout_tells_what_there_was() {
    let (folder, cx) = folder();
    let start = Instant::now();
    let error = shell(&cx, LINGER).timeout(Duration::from_millis(500)).output_blocking().unwrap_err();
    assert_eq!(error.message(), "waiting\n\nCommand timed out after 0.5 seconds");
    assert!(start.elapsed() < Duration::from_secs(3), "{:?}", start.elapsed());
    assert_gone(&folder);
    // Also of one that never stops writing.
    let error = cx.command("yes").max_bytes(4).timeout(Duration::from_millis(200)).output_blocking().unwrap_err();
    assert!(error.message().ends_with("y\ny\n\nCommand timed out after 0.2 seconds"), "{error}");
}

#[tokio::test]
async fn a_call_that_takes_too_long_takes_its_children_along() {
    let (toolbox, ends) = toolbox();
    for name in ["linger_shortly", "linger_blocking"] {
        let (folder, cx) = folder();
        let output = toolbox.call_with(name, "{}", &cx).await;
        assert!(output.to_text().contains("longer than 200ms"), "{}", output.to_text());
        assert_gone(&folder);
        if name == "linger_blocking" {
            while ends.0.lock().unwrap().is_empty() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            assert_eq!(*ends.0.lock().unwrap(), ["waiting\n\nCommand aborted", "Command aborted"]);
            assert!(!folder.path().join("late").exists());
        }
    }
}

#[tokio::test]
async fn a_cancelled_call_takes_its_children_along() {
    let (folder, cx) = folder();
    let token = CancellationToken::new();
    let cx = cx.with_cancellation(token.clone());
    let (toolbox, _) = toolbox();
    let cancel = async {
        while !folder.path().join("leader").exists() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
        token.cancel();
    };
    let (output, ()) = tokio::join!(toolbox.call_with("linger", "{}", &cx), cancel);
    // The tool ends by itself, with what there was.
    assert_eq!(output.to_text(), "waiting\n\nCommand aborted");
    assert_gone(&folder);
    assert_eq!(shell(&cx, "touch late").output().await.unwrap_err().message(), "Command aborted");
    assert!(!folder.path().join("late").exists());
}

#[tokio::test]
async fn a_dropped_call_takes_its_children_along() {
    let (toolbox, _) = toolbox();
    let (in_call, cx) = folder();
    {
        let mut call = std::pin::pin!(toolbox.call_with("linger", "{}", &cx));
        assert!(tokio::time::timeout(Duration::from_millis(500), &mut call).await.is_err());
    }
    assert_gone(&in_call);
    // Outside of a call it is the future.
    let (alone, cx) = folder();
    assert!(tokio::time::timeout(Duration::from_millis(500), shell(&cx, LINGER).output()).await.is_err());
    assert_gone(&alone);
}

#[tokio::test]
async fn however_a_call_ends_its_children_end() {
    let (toolbox, _) = toolbox();
    let calls = [
        ("panic_beside", "Tool \"panic_beside\" failed: it panicked. This is a fault of the tool, not of the call"),
        ("leave_behind", "left"),
        ("background", "done\n"),
    ];
    for (name, text) in calls {
        let (folder, cx) = folder();
        let start = Instant::now();
        assert_eq!(toolbox.call_with(name, "{}", &cx).await.to_text(), text);
        assert!(start.elapsed() < Duration::from_secs(5), "{name}: {:?}", start.elapsed());
        assert_gone(&folder);
    }
}

#[test]
fn a_session_of_its_own_keeps_nobody_waiting() {
    let (_folder, cx) = folder();
    let start = Instant::now();
    let output = shell(&cx, "setsid sleep 5 & echo done").output_blocking().unwrap();
    assert_eq!(output.text(), "done\n");
    assert!(start.elapsed() < Duration::from_secs(3), "{:?}", start.elapsed());
}

#[derive(Default)]
struct Recorder(Mutex<Vec<(Instant, String)>>);

impl Host for Recorder {
    fn update(&self, _: &str, output: ToolOutput) {
        self.0.lock().unwrap().push((Instant::now(), output.to_text()));
    }
}

#[test]
fn the_output_is_shown_as_it_comes() {
    let host = Arc::new(Recorder::default());
    let (_folder, cx) = folder();
    let cx = cx.with_host(host.clone());
    let script = "i=0; while [ $i -lt 30 ]; do i=$((i+1)); echo $i; sleep 0.02; done";
    shell(&cx, script).stream().output_blocking().unwrap();
    let updates = std::mem::take(&mut *host.0.lock().unwrap());
    assert!(updates.len() >= 2, "{updates:?}");
    for pair in updates.windows(2) {
        assert!(pair[1].1.starts_with(&pair[0].1) && pair[1].1 != pair[0].1, "{pair:?}");
        assert!(pair[1].0 - pair[0].0 >= Duration::from_millis(95), "{pair:?}");
    }
    shell(&cx, script).output_blocking().unwrap();
    assert!(host.0.lock().unwrap().is_empty());
}

struct Fragile;

impl Host for Fragile {
    fn update(&self, _: &str, _: ToolOutput) {
        panic!("on purpose");
    }
}

#[test]
fn a_host_that_panics_leaves_no_children() {
    let (folder, cx) = folder();
    let cx = cx.with_host(Arc::new(Fragile));
    let error = shell(&cx, LINGER).stream().output_blocking().unwrap_err();
    assert_eq!(error.message(), "showing its output panicked");
    assert_gone(&folder);
}

/// Say that it is here, and wait for somebody else to come.
#[pi_tool]
fn meet_blocking(meeting: &Meeting) -> String {
    meeting.0.wait();
    "met".to_owned()
}

/// Come when the other is sure to be waiting.
#[pi_tool]
async fn meet(meeting: &Meeting) -> String {
    let meeting = meeting.clone();
    tokio::time::sleep(Duration::from_millis(50)).await;
    std::thread::spawn(move || meeting.0.wait());
    "came".to_owned()
}

#[derive(Clone)]
struct Meeting(Arc<Barrier>);

/// On one thread, where a tool that blocked it would wait for ever.
#[tokio::test(flavor = "current_thread")]
async fn a_tool_that_blocks_holds_up_no_others() {
    let (toolbox, _) = toolbox();
    let calls = [ToolCall::new("1", "meet_blocking", "{}"), ToolCall::new("2", "meet", "{}")];
    let mut ends = Vec::new();
    let cx = ToolContext::new();
    let told = |event: BatchEvent<'_>| {
        if let BatchEvent::End { result, .. } = event {
            ends.push(result.tool_name.clone());
        }
    };
    let output = tokio::time::timeout(Duration::from_secs(20), Batch::new().run(&toolbox, &calls, &cx, told)).await;
    let texts: Vec<String> = output.unwrap().results.iter().map(|result| result.output.to_text()).collect();
    assert_eq!(texts, ["met", "came"]);
    assert_eq!(ends, ["meet", "meet_blocking"]);
}

/// The bundle `lab`, in a folder.
fn lab(folder: &TempDir, arguments: &[&str]) -> std::process::Child {
    std::process::Command::new(env!("CARGO_BIN_EXE_lab"))
        .args(arguments)
        .current_dir(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
fn a_bundle_that_ends_leaves_no_children() {
    let (served, cx) = folder();
    let mut bundle = lab(&served, &["serve"]);
    let mut input = bundle.stdin.take().unwrap();
    let params = json!({ "callId": "1", "name": "shell", "params": { "command": LINGER }, "cwd": cx.cwd() });
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    writeln!(input, "{call}").unwrap();
    let mut line = String::new();
    BufReader::new(bundle.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert!(line.contains("tools/update") && line.contains("waiting"), "{line}");
    drop(input);
    bundle.wait().unwrap();
    assert_gone(&served);

    for signal in ["-INT", "-TERM", "-HUP"] {
        let (called, _) = folder();
        let mut call = lab(&called, &["call", "shell", &json!({ "command": LINGER }).to_string()]);
        let leader: PathBuf = called.path().join("leader");
        wait_for(&leader);
        let kill = [signal, &call.id().to_string()];
        assert!(std::process::Command::new("kill").args(kill).status().unwrap().success());
        call.wait().unwrap();
        assert_gone(&called);
    }
}
