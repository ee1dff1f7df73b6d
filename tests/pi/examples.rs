//! The examples in Pi: what their transcripts do not show.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use pi_tools_tests::pi::{self, Pi, ToolResult, notifications, tool_results};
use pi_tools_tests::{example, workspace};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::context::answered;
use super::{call, calls};

/// A copy of the folder that the transcript of an example runs in.
fn folder_of(example: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let original = workspace().join("examples").join(example).with_extension("in");
    let mut folders = vec![PathBuf::new()];
    while let Some(below) = folders.pop() {
        fs::create_dir_all(folder.path().join(&below)).unwrap();
        for entry in fs::read_dir(original.join(&below)).unwrap().map(Result::unwrap) {
            let path = below.join(entry.file_name());
            if entry.path().is_dir() {
                folders.push(path);
            } else {
                fs::copy(entry.path(), folder.path().join(path)).unwrap();
            }
        }
    }
    folder
}

fn text(result: &ToolResult) -> (&str, bool) {
    (&result.text, result.is_error)
}

/// Beside each other in one message, and beside Pi's own `edit`, no change is lost.
#[test]
fn note_edit() {
    if pi::install().is_none() {
        return;
    }
    let folder = folder_of("note_edit");
    let mut pi = Pi::options().bundle(example("note_edit")).directory(folder.path()).start();
    let edit = |path: &str, old: &str, new: &str| json!({ "path": path, "oldText": old, "newText": new });
    let own = json!({ "path": "notes.md", "edits": [{ "oldText": "Ada", "newText": "Grace" }] });
    let message = [
        ("note_edit", edit("notes.md", "tea", "coffee")),
        ("edit", own),
        ("note_edit", edit("@./notes.md", "bread", "$& cake")),
        ("note_edit", edit("notes.md", "milk", "water")),
    ];
    let events = pi.prompt("go", json!([calls(&message)]));
    let results = tool_results(&events);
    assert_eq!(text(&results[0]), ("Updated notes.md", false));
    assert_eq!(text(&results[2]), ("Updated @./notes.md", false));
    assert_eq!(text(&results[3]), ("notes.md: nothing was changed, because \"milk\" is not in it", true));
    let note = fs::read_to_string(folder.path().join("notes.md")).unwrap();
    assert_eq!(note, "- buy coffee\n- call Grace\n- buy $& cake\n");
    assert!(pi.quit().success());
}

/// The file with all of it is there as long as the session.
#[test]
fn read_log() {
    if pi::install().is_none() {
        return;
    }
    let folder = folder_of("read_log");
    let mut pi = Pi::options().bundle(example("read_log")).directory(folder.path()).start();
    let result = call(&mut pi, "read_log", json!({ "file": "server.log" }));
    let (shown, notice) = result.text.rsplit_once("\n\n").unwrap();
    assert_eq!((shown.lines().count(), shown.ends_with("/item/120 200")), (100, true), "{shown}");
    let full = notice.strip_prefix("[Showing lines 21-120 of 120. Full output: ").unwrap().strip_suffix(']').unwrap();
    let log = fs::read_to_string(folder.path().join("server.log")).unwrap();
    assert_eq!(fs::read_to_string(full).unwrap(), log);
    assert!(pi.quit().success());
}

/// A script that calls the tool gets data.
#[test]
fn ripgrep() {
    if pi::install().is_none() {
        return;
    }
    let folder = folder_of("ripgrep");
    let relay = workspace().join("tests/pi/relay.ts");
    let mut pi = Pi::options().bundle(example("ripgrep")).extension(relay).directory(folder.path()).start();
    let result = call(&mut pi, "ripgrep", json!({ "pattern": "greet" }));
    assert_eq!(text(&result), ("src/main.rs:2:     // TODO: greet", false));
    let result = call(&mut pi, "relay", json!({ "tool": "ripgrep", "arguments": { "pattern": "TODO", "limit": 1 } }));
    let matches = json!([{ "path": "notes.md", "line": 3, "text": "TODO: write them" }]);
    let data = &result.details["outcome"]["result"]["structuredContent"];
    assert_eq!(*data, json!({ "matches": matches, "total": 3 }), "{}", result.details);
    assert!(pi.quit().success());
}

/// Pi's own reads, an image, too; each access is an entry.
#[test]
fn read_logger() {
    if pi::install().is_none() {
        return;
    }
    let folder = folder_of("read_logger");
    fs::write(
        folder.path().join("dot.gif"),
        b"GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xff\xff\xff,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;",
    )
    .unwrap();
    fs::write(folder.path().join("many.txt"), "x\n".repeat(3000)).unwrap();
    let mut pi = Pi::options().bundle(example("read_logger")).directory(folder.path()).start();
    let result = call(&mut pi, "read", json!({ "path": "numbers.txt", "offset": 2, "limit": 1 }));
    assert_eq!(text(&result), ("two\n\n[3 more lines in file. Use offset=3 to continue.]", false));
    let result = call(&mut pi, "read", json!({ "path": "many.txt" }));
    assert!(
        result.text.ends_with("\n\n[Showing lines 1-2000 of 3001. Use offset=2001 to continue.]"),
        "{}",
        result.text
    );
    assert_eq!(result.details["truncation"]["totalLines"], 3000);
    let result = call(&mut pi, "read", json!({ "path": "dot.gif" }));
    assert!(result.text.starts_with("Read image file [image/"), "{result:?}");
    let messages = pi.recorded().pop().unwrap()["messages"].clone();
    assert_eq!(messages.as_array().unwrap().last().unwrap()["content"][1]["type"], "image", "{messages}");
    let result = call(&mut pi, "read", json!({ "path": "number.txt" }));
    assert!(result.is_error && result.text.contains("ENOENT"), "{result:?}");
    let entries = pi.entries();
    let kept = entries.iter().filter(|entry| entry["customType"] == "read_logger").map(|entry| &entry["data"]["path"]);
    assert_eq!(kept.collect::<Vec<_>>(), ["numbers.txt", "many.txt", "dot.gif"]);
    assert_eq!(notifications(pi.events())[0], ("info", "[read] numbers.txt (54 characters)"));
    // An override has neither from Pi.
    let prompt = pi.recorded()[0]["systemPrompt"].as_str().unwrap().to_owned();
    assert!(prompt.contains("- read: Read file contents\n"), "{prompt}");
    assert!(prompt.contains("- Use read to examine files instead of cat or sed.\n"), "{prompt}");
    assert!(pi.quit().success());
}

/// Where there is no Pi, it reads as Pi does.
#[test]
fn read_logger_without_pi() {
    if pi::install().is_none() {
        return;
    }
    let folder = folder_of("read_logger");
    let lines = |count: usize, width: usize| format!("{}\n", "x".repeat(width)).repeat(count);
    for (name, text) in [
        ("many.txt", lines(2001, 1)),
        ("just.txt", lines(2000, 1)),
        ("wide.txt", lines(1000, 100)),
        ("long.txt", lines(1, 60_000) + "end"),
        ("empty.txt", String::new()),
    ] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let mut pi = Pi::options().directory(folder.path()).start();
    let arguments = [
        json!({ "path": "numbers.txt" }),
        json!({ "path": "@numbers.txt", "offset": 2, "limit": 2 }),
        json!({ "path": "numbers.txt", "offset": 0, "limit": 0 }),
        json!({ "path": "numbers.txt", "offset": 5, "limit": 9 }),
        json!({ "path": "numbers.txt", "offset": 6 }),
        json!({ "path": "many.txt" }),
        json!({ "path": "many.txt", "offset": 2, "limit": 2000 }),
        json!({ "path": "just.txt" }),
        json!({ "path": "wide.txt", "offset": 10 }),
        json!({ "path": "wide.txt", "limit": 999 }),
        json!({ "path": "long.txt" }),
        json!({ "path": "long.txt", "offset": 2 }),
        json!({ "path": "empty.txt" }),
    ];
    let message: Vec<(&str, Value)> = arguments.iter().map(|arguments| ("read", arguments.clone())).collect();
    let originals = tool_results(&pi.prompt("go", json!([calls(&message)])));
    assert_eq!(originals.len(), arguments.len());
    assert!(originals.iter().any(|original| !original.details["truncation"].is_null()), "{originals:?}");
    for (arguments, original) in arguments.iter().zip(&originals) {
        let mut own = Command::new(example("read_logger"));
        let own = own.args(["call", "read", "--json", &arguments.to_string()]).current_dir(&folder).output().unwrap();
        let own: Value = serde_json::from_slice(&own.stdout).unwrap();
        assert_eq!(own["content"][0]["text"], original.text, "{arguments}");
        assert_eq!(own["isError"] == true, original.is_error, "{arguments}");
        // Pi gives every error empty details.
        assert!(own["details"] == original.details || original.is_error, "{arguments}: {own} {:?}", original.details);
    }
    assert!(pi.quit().success());
}

/// They follow the branch, and the next process has them.
#[test]
fn bookmark() {
    if pi::install().is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let session = folder.path().join("session.jsonl");
    let mut pi = Pi::options().bundle(example("bookmark")).session(&session).start();
    let set = |label: &str| json!({ "label": label });
    assert_eq!(call(&mut pi, "bookmark", set("one")).text, "Bookmarked: one");
    let first = pi.entries().last().unwrap()["id"].as_str().unwrap().to_owned();
    assert_eq!(call(&mut pi, "bookmark", set("two")).text, "Bookmarked: two");
    let entries = pi.entries();
    let kept: Vec<&Value> = entries.iter().filter(|entry| entry["customType"] == "bookmark").collect();
    assert_eq!(kept.iter().map(|entry| &entry["data"]["label"]).collect::<Vec<_>>(), ["one", "two"]);
    let messages = pi.recorded().pop().unwrap()["messages"].to_string();
    assert!(!messages.contains("customType"), "{messages}");
    pi.command(&format!("/goto {first}"));
    assert_eq!(call(&mut pi, "bookmark", json!({})).text, "Bookmarks:\n1. one");
    assert!(pi.quit().success());
    let mut pi = Pi::options().bundle(example("bookmark")).session(&session).start();
    assert_eq!(call(&mut pi, "bookmark", json!({})).text, "Bookmarks:\n1. one");
}

#[test]
fn ask() {
    if pi::install().is_none() {
        return;
    }
    let mut pi = Pi::options().bundle(example("ask")).start();
    let which = json!({ "question": "Which colour?", "answers": ["red", "green"] });
    let (asked, result) = answered(&mut pi, "ask", which.clone(), "select", json!({ "value": "green" }));
    assert_eq!((&asked["title"], &asked["options"]), (&json!("Which colour?"), &json!(["red", "green"])));
    assert_eq!(text(&result), ("green", false));
    let (asked, result) =
        answered(&mut pi, "ask", json!({ "question": "Go on?" }), "confirm", json!({ "confirmed": false }));
    assert_eq!((&asked["title"], text(&result)), (&json!("Go on?"), ("no", false)));
    let (_, result) = answered(&mut pi, "ask", which, "select", json!({ "cancelled": true }));
    assert!(result.is_error && result.text.starts_with("The user did not answer."), "{result:?}");
    assert!(pi.quit().success());
}

/// The footer shows each step, and is free again also behind one that failed.
#[test]
fn deploy() {
    if pi::install().is_none() {
        return;
    }
    let folder = folder_of("deploy");
    let mut pi = Pi::options().bundle(example("deploy")).directory(folder.path()).start();
    let to = |version: &str| json!({ "version": version, "target": "production" });
    let yes = json!({ "confirmed": true });
    for (version, says, is_error) in [
        ("v1.2", "v1.2 is on production: 3 steps", false),
        (
            "v0",
            "3-check failed, and nothing was run behind it:\nv0 does not answer\n\nCommand exited with code 1",
            true,
        ),
    ] {
        let before = pi.events().len();
        let (asked, result) = answered(&mut pi, "deploy", to(version), "confirm", yes.clone());
        assert_eq!(asked["title"], format!("Deploy {version} to production?"));
        assert_eq!(text(&result), (says, is_error));
        let events = &pi.events()[before..];
        let footer = events.iter().filter(|event| event["method"] == "setStatus" && event["statusKey"] == "deploy");
        let footer: Vec<&Value> = footer.map(|event| &event["statusText"]).collect();
        let steps = ["1 of 3: 1-build", "2 of 3: 2-send", "3 of 3: 3-check"];
        assert_eq!((&footer[..3], footer[3].as_str(), footer.len()), (&steps.map(Value::from).each_ref()[..], None, 4));
        let updates = events.iter().filter(|event| event["type"] == "tool_execution_update");
        let updates: Vec<&Value> = updates.map(|event| &event["partialResult"]["content"][0]["text"]).collect();
        // One that is followed by another at once may be left out.
        assert!(updates.iter().all(|update| steps.iter().any(|step| *update == step)), "{updates:?}");
        assert_eq!(updates.last().unwrap(), &steps[2]);
    }
    let (_, result) = answered(&mut pi, "deploy", to("v1.2"), "confirm", json!({ "confirmed": false }));
    assert!(result.is_error && result.text.contains("the user said no"), "{result:?}");
    assert!(pi.quit().success());
}

/// Pi goes on with the session of an agent that has its tools inside.
#[test]
fn agent() {
    if pi::install().is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let session = folder.path().join("session.jsonl");
    let run = Command::new(example("agent")).args(["session.jsonl", "yes"]).current_dir(&folder).output().unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let mut pi = Pi::options().session(&session).start();
    let entries = pi.entries();
    assert_eq!(entries, pi::read_json_lines(&session)[1..]);
    assert!(entries.iter().any(|entry| entry["customType"] == "export" && entry["data"] == "notes.md"));
    pi.prompt("And now?", json!([{ "text": "Nothing." }]));
    let messages = pi.recorded()[0]["messages"].clone();
    let roles: Vec<&str> = messages.as_array().unwrap().iter().filter_map(|message| message["role"].as_str()).collect();
    let before = ["user", "assistant", "toolResult", "toolResult", "assistant", "toolResult", "assistant", "user"];
    assert_eq!(roles.into_iter().filter(|role| *role != "system").collect::<Vec<_>>(), before);
    assert!(pi.quit().success());
}
