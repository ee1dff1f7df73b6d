//! The command line, where a transcript does not reach: pipes and signals.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

fn lab(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lab"));
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn output(arguments: &[&str]) -> (String, String, Option<i32>) {
    let output = lab(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr), output.status.code())
}

fn interrupt(process: &Child) {
    assert!(Command::new("kill").args(["-INT", &process.id().to_string()]).status().unwrap().success());
}

fn wait(process: &mut Child) -> Option<i32> {
    let start = Instant::now();
    loop {
        if let Some(status) = process.try_wait().unwrap() {
            return status.code();
        }
        if start.elapsed() > Duration::from_secs(5) {
            process.kill().unwrap();
            panic!("still running");
        }
        sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_panic_is_an_error_result() {
    let (stdout, _, status) = output(&["call", "panics", r#"{"secret":"hunter2"}"#]);
    assert!(stdout.contains("panics") && !stdout.contains("hunter2"), "{stdout}");
    assert_eq!(status, Some(1));
}

#[test]
fn every_tool_has_a_schema_in_every_dialect_or_a_reason() {
    for dialect in
        ["portable", "google", "google-json-schema", "openai", "openai-strict", "anthropic", "anthropic-strict"]
    {
        let (list, _, _) = output(&["list"]);
        for name in list.lines().map(|line| line.split_whitespace().next().unwrap()) {
            let (stdout, stderr, status) = output(&["schema", name, "--for", dialect]);
            if status == Some(0) {
                let schema = serde_json::from_str(&stdout).unwrap();
                jsonschema::draft202012::meta::validate(&schema).unwrap();
                assert_eq!(schema["type"], "object", "{name} for {dialect}");
            } else {
                assert!(stderr.starts_with(&format!("lab: {name} has no schema for {dialect}: ")), "{stderr}");
                assert_eq!((stdout.as_str(), status), ("", Some(1)));
            }
        }
    }
    assert_eq!(output(&["schema", "greeting"]).0, output(&["schema", "greeting", "--for", "portable"]).0);
}

#[test]
fn arguments_come_from_a_file_and_from_standard_input() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("arguments.json");
    // As an editor on Windows writes it.
    std::fs::write(&path, "\u{feff}{\"name\":\"Ada\"}").unwrap();
    let (stdout, _, status) = output(&["call", "greeting", &format!("@{}", path.display())]);
    assert_eq!((stdout.as_str(), status), ("Good morning, Ada!\n", Some(0)));

    let mut process = lab(&["call", "greeting", "-"]).stdin(Stdio::piped()).spawn().unwrap();
    process.stdin.take().unwrap().write_all(b"{\"name\":\"Bob\"}").unwrap();
    let mut stdout = String::new();
    process.stdout.take().unwrap().read_to_string(&mut stdout).unwrap();
    assert_eq!((stdout.as_str(), wait(&mut process)), ("Good morning, Bob!\n", Some(0)));

    for (source, problem) in [("@", "@FILE"), ("@/nowhere.json", "/nowhere.json: "), ("{", "not JSON")] {
        let (_, stderr, status) = output(&["call", "greeting", source]);
        assert!(stderr.contains(problem) && status == Some(2), "{source}: {stderr}");
    }
}

#[test]
fn a_reader_that_has_seen_enough_is_no_failure() {
    let mut process = lab(&["manifest"]).spawn().unwrap();
    drop(process.stdout.take());
    assert_eq!(wait(&mut process), Some(0));
    let mut process = lab(&["call", "soft_failure"]).spawn().unwrap();
    drop(process.stdout.take());
    assert_eq!(wait(&mut process), Some(1));
}

#[test]
fn nobody_needs_to_read_stderr() {
    // Its updates go nowhere, and the call ends as it would.
    let mut process = lab(&["call", "count", r#"{"then":"wait"}"#]).spawn().unwrap();
    drop(process.stderr.take());
    sleep(Duration::from_millis(300));
    interrupt(&process);
    let mut stdout = String::new();
    process.stdout.take().unwrap().read_to_string(&mut stdout).unwrap();
    assert_eq!((stdout.as_str(), wait(&mut process)), ("stopped\n", Some(1)));

    let mut process = lab(&["call", "nobody"]).spawn().unwrap();
    drop(process.stderr.take());
    assert_eq!(wait(&mut process), Some(2));
}

#[test]
fn the_first_interrupt_asks_and_the_second_does_not() {
    let mut process = lab(&["call", "polite"]).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(process.stderr.take().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "waiting\n");
    interrupt(&process);
    let mut stdout = String::new();
    process.stdout.take().unwrap().read_to_string(&mut stdout).unwrap();
    assert_eq!((stdout.as_str(), wait(&mut process)), ("stopped politely\n", Some(1)));

    for tool in ["stubborn_blocking", "hog"] {
        let mut process = lab(&["call", tool]).spawn().unwrap();
        sleep(Duration::from_millis(300));
        interrupt(&process);
        sleep(Duration::from_millis(100));
        interrupt(&process);
        assert_eq!(wait(&mut process), Some(130), "{tool}");
    }
}
