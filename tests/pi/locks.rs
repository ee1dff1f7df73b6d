//! Files that Rust tools and Pi's own change at the same time.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use pi_tools_tests::pi::{self, Pi, tool_results};
use serde_json::{Value, json};

use super::context::OUTSIDE;
use super::{call, calls};

fn append(path: &str, line: &str, takes: u32) -> (&'static str, Value) {
    ("append", json!({ "path": path, "line": line, "takes": takes }))
}

fn edit(path: &str, old: &str, new: &str) -> (&'static str, Value) {
    ("edit", json!({ "path": path, "edits": [{ "oldText": old, "newText": new }] }))
}

/// Begins a call that keeps its file for long.
fn hold(pi: &mut Pi, path: &str, and: &[(&str, Value)]) {
    let mut batch = vec![append(path, "never", 60_000)];
    batch.extend_from_slice(and);
    pi.start_prompt("go", json!([calls(&batch)]));
    pi.wait_event(|event| event["type"] == "tool_execution_update");
}

fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap()
}

#[test]
fn changes_of_one_file_are_all_kept() {
    if pi::install().is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut pi = Pi::options().bundle(OUTSIDE).directory(folder).start();
    for run in 0..20 {
        let name = format!("{run}.txt");
        fs::write(folder.join(&name), "begin\n").unwrap();
        std::os::unix::fs::symlink(&name, folder.join(format!("link-{name}"))).unwrap();
        // In another order each time.
        let mut batch =
            vec![append(&name, "one", 20), append(&format!("link-{name}"), "two", 20), edit(&name, "begin", "began")];
        batch.rotate_left(run % 3);
        let results = tool_results(&pi.prompt("go", json!([calls(&batch)])));
        assert!(results.iter().all(|result| !result.is_error), "{results:?}");
        let text = read(folder, &name);
        let mut lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.remove(0), "began", "run {run}: {text}");
        lines.sort_unstable();
        assert_eq!(lines, ["one", "two"], "run {run}: {text}");
    }
    // A file that nobody has made yet.
    let results =
        tool_results(&pi.prompt("go", json!([calls(&[append("new.txt", "one", 20), append("new.txt", "two", 20)])])));
    assert!(results.iter().all(|result| !result.is_error), "{results:?}");
    assert_eq!(read(folder, "new.txt").lines().count(), 2);
    assert!(pi.quit().success());
}

#[test]
fn several_files_are_had_in_one_order() {
    if pi::install().is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("a.txt"), "a").unwrap();
    fs::write(folder.join("b.txt"), "b").unwrap();
    let mut pi = Pi::options().bundle(OUTSIDE).directory(folder).start();
    let swap = |one: &str, other: &str| ("swap", json!({ "one": one, "other": other }));
    // Each way round, beside a change of either.
    let batch = [
        swap("a.txt", "b.txt"),
        edit("b.txt", "missing", "x"),
        swap("b.txt", "a.txt"),
        swap("a.txt", "./b.txt"),
        edit("a.txt", "missing", "x"),
    ];
    let results = tool_results(&pi.prompt("go", json!([calls(&batch)])));
    let swapped = results.iter().filter(|result| result.text == "swapped").count();
    assert_eq!(swapped, 3, "{results:?}");
    assert_eq!((read(folder, "a.txt"), read(folder, "b.txt")), ("b".to_owned(), "a".to_owned()));
    std::os::unix::fs::symlink("b.txt", folder.join("link.txt")).unwrap();
    for (one, problem) in [("link.txt", "are the same file"), ("b.txt", "named twice"), ("./b.txt", "named twice")] {
        let result = call(&mut pi, "swap", json!({ "one": one, "other": "b.txt" }));
        assert!(result.is_error && result.text.contains(problem), "{result:?}");
    }
    assert!(pi.quit().success());
}

/// Whoever had it: cancelled, or killed.
#[test]
fn a_file_is_free_again_when_its_call_is_over() {
    if pi::install().is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("a.txt"), "0\n").unwrap();
    fs::write(folder.join("b.txt"), "1\n").unwrap();
    let mut pi = Pi::options().bundle(OUTSIDE).directory(folder).start();
    let edits = |pi: &mut Pi, from: u32| {
        let start = Instant::now();
        let (tool, arguments) = edit("a.txt", &from.to_string(), &(from + 1).to_string());
        let result = call(pi, tool, arguments);
        assert!(!result.is_error, "{result:?}");
        assert!(start.elapsed() < Duration::from_secs(15), "{:?}", start.elapsed());
    };

    // The one that has it and the one that waits for it are aborted.
    hold(&mut pi, "a.txt", &[append("a.txt", "never either", 0)]);
    pi.abort();
    let results = tool_results(&pi.wait_settled());
    assert!(results.iter().all(|result| result.text == "Operation aborted"), "{results:?}");
    edits(&mut pi, 0);

    // A thread that goes on after its call keeps the file until it is done.
    let (_, mut arguments) = append("a.txt", "by a thread", 2500);
    pi.start_prompt("go", json!([calls(&[("append_blocking", arguments.clone())])]));
    pi.wait_event(|event| event["type"] == "tool_execution_update");
    pi.abort();
    assert_eq!(tool_results(&pi.wait_settled())[0].text, "Operation aborted");
    assert_eq!(read(folder, "a.txt"), "1\n", "it is not done yet");
    edits(&mut pi, 1);
    assert_eq!(read(folder, "a.txt"), "2\nby a thread\n");
    // But nobody's edit waits for ever.
    arguments["takes"] = json!(60_000);
    pi.start_prompt("go", json!([calls(&[("append_blocking", arguments)])]));
    pi.wait_event(|event| event["type"] == "tool_execution_update");
    pi.abort();
    pi.wait_settled();
    edits(&mut pi, 2);

    // Killed, while Pi's own waits.
    hold(&mut pi, "b.txt", &[edit("b.txt", "1", "2")]);
    let [bundle] = pi.bundle_pids()[..] else { panic!("one bundle runs") };
    let start = Instant::now();
    pi::kill(bundle);
    let results = tool_results(&pi.wait_settled());
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    assert!(results[0].is_error && results[0].text.contains("SIGKILL"), "{results:?}");
    assert!(!results[1].is_error, "{results:?}");

    // A call of another that gives up while it waits behind one of Pi's.
    let begun = ("bash", json!({ "command": "true" }));
    let waits = json!({ "tool": "append", "arguments": append("b.txt", "never", 0).1, "give_up": 200 });
    hold(&mut pi, "b.txt", &[("delegate", waits), begun]);
    pi.wait_event(|event| event["type"] == "tool_execution_end" && event["toolName"] == "delegate");
    pi.abort();
    let results = tool_results(&pi.wait_settled());
    assert_eq!(results[1].text, "gave up", "{results:?}");
    edits(&mut pi, 3);
    assert_eq!((read(folder, "a.txt"), read(folder, "b.txt")), ("4\nby a thread\n".to_owned(), "2\n".to_owned()));
    assert!(pi.quit().success());
}
