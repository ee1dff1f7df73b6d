//! Tools that call others in Pi.

use std::path::Path;
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use pi_tools_tests::example;
use pi_tools_tests::pi::{self, Pi, tool_results};
use serde_json::{Value, json};

use super::context::OUTSIDE;
use super::{call, calls};

/// The arguments of a call that calls this tool.
fn delegate(tool: &str, arguments: &Value) -> Value {
    json!({ "tool": tool, "arguments": arguments })
}

/// The extension of another bundle, which any start of Pi writes out.
fn extension_of(bundle: &Path, home: &Path) -> std::path::PathBuf {
    let programs = pi::install().unwrap();
    let mut start = Command::new(bundle);
    start.args(["pi", "run", "--", "--version"]).env("HOME", home).env("PATH", programs).env_remove("XDG_CACHE_HOME");
    assert!(start.output().unwrap().status.success());
    let mut cache = std::fs::read_dir(home.join(".cache/pi-tools")).unwrap();
    cache.next().unwrap().unwrap().path()
}

#[test]
fn another_tool_is_called() {
    if pi::install().is_none() {
        return;
    }
    let home = tempfile::tempdir().unwrap();
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.txt"), "one\ntwo\n").unwrap();
    let other = extension_of(&example("todo"), home.path());
    let mut pi = Pi::options().bundle(OUTSIDE).extension(other).directory(folder.path()).start();

    // A tool of Pi, whose updates are passed on.
    let bash = delegate("bash", &json!({ "command": "echo one; sleep 0.5; echo two" }));
    let events = pi.prompt("go", json!([calls(&[("delegate", bash)])]));
    let result = tool_results(&events).remove(0);
    assert_eq!((result.text.as_str(), result.is_error), ("bash said: one\ntwo\n", false));
    let own = events.iter().filter(|event| event["type"] == "tool_execution_update" && event["toolName"] == "delegate");
    let updates: Vec<&str> = own.filter_map(|event| event["partialResult"]["content"][0]["text"].as_str()).collect();
    assert!(updates.contains(&"bash: one\n"), "{updates:?}");
    assert_eq!(call(&mut pi, "delegate", delegate("read", &json!({ "path": "a.txt" }))).text, "read said: one\ntwo\n");

    // Of another bundle, and of this one: with a call in the call.
    let todo = delegate("todo", &json!({ "action": "add", "text": "tea" }));
    let result = call(&mut pi, "delegate", todo);
    assert_eq!(result.text, "todo said: Added: tea (1 in all)");
    assert_eq!(result.details["output"]["details"], json!({ "todos": ["tea"] }));
    let inner = delegate("delegate", &delegate("keep", &json!({ "what": "tea" })));
    assert_eq!(call(&mut pi, "delegate", inner).text, "delegate said: keep said: tea");
    assert_eq!(call(&mut pi, "delegate", delegate("tally", &json!({}))).text, "tally said: counted to 1");
    assert_eq!(call(&mut pi, "tally", json!({})).text, "counted to 2");

    // Failures are outputs.
    let failed = |result: pi::ToolResult| {
        assert!(!result.is_error && result.details["output"]["isError"] == true, "{result:?}");
        result.text
    };
    assert_eq!(failed(call(&mut pi, "delegate", delegate("nobody", &json!({})))), "nobody said: Tool nobody not found");
    let text = failed(call(&mut pi, "delegate", delegate("read", &json!({ "paths": "a.txt" }))));
    assert!(text.contains("path") && text.contains("Validation failed"), "{text}");
    let text = failed(call(&mut pi, "delegate", delegate("keep", &json!({ "what": 7, "else": 1 }))));
    assert!(text.contains("else"), "{text}");
    let text = failed(call(&mut pi, "delegate", delegate("read", &json!({ "path": "nowhere" }))));
    assert!(text.contains("ENOENT") || text.contains("no such file"), "{text}");
    assert!(pi.quit().success());
}

/// With the run, and when nobody waits for it any more.
#[test]
fn a_call_that_a_call_makes_is_cancelled() {
    if pi::install().is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut pi = Pi::options().bundle(OUTSIDE).directory(folder.path()).start();
    let marks = |name: &str| delegate("bash", &json!({ "command": format!("sleep 2; touch {name}") }));
    let began = |event: &Value| event["type"] == "tool_execution_start" && event["toolName"] == "bash";

    pi.start_prompt("go", json!([calls(&[("delegate", marks("aborted"))])]));
    pi.wait_event(began);
    let start = Instant::now();
    pi.abort();
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    pi.wait_settled();

    let mut given_up = marks("given-up");
    given_up["give_up"] = json!(200);
    let events = pi.prompt("go", json!([calls(&[("delegate", given_up)])]));
    assert_eq!(tool_results(&events)[0].text, "gave up");
    // In a bundle that is killed.
    pi.start_prompt("go", json!([calls(&[("delegate", marks("killed"))])]));
    pi.wait_event(began);
    let [bundle] = pi.bundle_pids()[..] else { panic!("one bundle runs") };
    pi::kill(bundle);
    assert!(tool_results(&pi.wait_settled())[0].is_error);

    sleep(Duration::from_millis(2500));
    let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.is_empty(), "{left:?}");
    assert!(pi.quit().success());
}

/// What a call holds, the calls that it makes must not wait for.
#[test]
fn a_call_never_waits_for_the_one_that_makes_it() {
    if pi::install().is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.txt"), "one\n").unwrap();
    std::os::unix::fs::symlink("a.txt", folder.path().join("link.txt")).unwrap();
    let home = tempfile::tempdir().unwrap();
    let neighbour = extension_of(Path::new(env!("CARGO_BIN_EXE_neighbour")), home.path());
    let mut pi = Pi::options().bundle(OUTSIDE).extension(neighbour).directory(folder.path()).start();

    // Session state.
    let problem = "the session's state `tally` is held by the call that made this one";
    for nested in [delegate("tally", &json!({})), delegate("delegate", &delegate("tally", &json!({})))] {
        let result = call(&mut pi, "tally_after", nested);
        assert!(result.text.contains(problem), "{result:?}");
        assert!(!result.is_error, "the call itself goes on: {result:?}");
    }
    let result = call(&mut pi, "tally_after", delegate("keep", &json!({ "what": "tea" })));
    assert_eq!((result.text.as_str(), &result.details), ("keep said: tea", &json!({ "tally": 3 })));
    assert_eq!(call(&mut pi, "tally", json!({})).text, "counted to 4");

    // Files.
    let with = |tool: &str, arguments: Value| json!({ "file": "a.txt", "tool": tool, "arguments": arguments });
    let append = |path: &str| json!({ "path": path, "line": "two" });
    let edit = |path: &str| json!({ "path": path, "edits": [{ "oldText": "one", "newText": "uno" }] });
    for (tool, arguments) in [
        ("append", append("a.txt")),
        ("append", append("link.txt")),
        ("delegate", delegate("append", &append("./a.txt"))),
        ("edit", edit("link.txt")),
        ("edit", edit("@a.txt")),
        ("write", json!({ "path": folder.path().join("a.txt"), "content": "" })),
        ("delegate", delegate("edit", &edit("a.txt"))),
        ("clear_file", json!({ "path": "link.txt" })),
        ("delegate", delegate("clear_file", &json!({ "path": "a.txt" }))),
    ] {
        let result = call(&mut pi, "delegate_with", with(tool, arguments));
        assert!(
            result.text.contains("a.txt is being changed") || result.text.contains("link.txt is being changed"),
            "{tool}: {result:?}"
        );
    }
    assert_eq!(std::fs::read_to_string(folder.path().join("a.txt")).unwrap(), "one\n");
    let result = call(&mut pi, "delegate_with", with("read", json!({ "path": "a.txt" })));
    assert_eq!(result.text, "with a.txt, read said: one\n");
    let result = call(&mut pi, "delegate_with", with("append", append("b.txt")));
    assert_eq!(result.text, "with a.txt, append said: appended");
    let result = call(&mut pi, "delegate_with", with("clear_file", json!({ "path": "b.txt" })));
    assert_eq!(result.text, "with a.txt, clear_file said: emptied");
    let result = call(&mut pi, "edit", edit("a.txt"));
    assert!(!result.is_error, "the file is free again: {result:?}");
    assert!(pi.quit().success());
}
