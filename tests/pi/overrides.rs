//! Tools that stand for Pi's own, beside the real ones.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use pi_tools_tests::pi::{self, Pi, ToolResult, notifications, tool_results};
use pi_tools_tests::{target_folder, workspace};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{call, calls};

/// The bundle of tools that stand for others.
const STANDINS: &str = env!("CARGO_BIN_EXE_standins");

fn lines(count: usize) -> String {
    (1..=count).fold(String::new(), |mut text, number| {
        writeln!(text, "line {number}").unwrap();
        text
    })
}

/// A folder with what there is to read.
fn project() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &[u8]| fs::write(folder.path().join(name), text).unwrap();
    write("short.txt", b"one\ntwo\nthree\nfour\n");
    write("full.txt", lines(2000).as_bytes());
    write("long.txt", lines(5000).as_bytes());
    write("wide.txt", format!("{}\n", "x".repeat(99)).repeat(700).as_bytes());
    write("line.txt", "y".repeat(60_000).as_bytes());
    write("point.png", include_bytes!("../output/point.png"));
    folder
}

/// What the model gets for these calls: from Pi's own tools, and from those that stand for them.
fn both(folder: &Path, message: &[(&str, Value)], reset: impl Fn()) -> [Vec<Value>; 2] {
    [None, Some(STANDINS)].map(|bundle| {
        reset();
        let tools = "read,bash,edit,write,grep,find,ls,powershell";
        let mut options = Pi::options().directory(folder).argument("--tools").argument(tools);
        if let Some(bundle) = bundle {
            options = options.bundle(bundle);
        }
        let mut pi = options.start();
        let events = pi.prompt("go", json!([calls(message)]));
        assert!(pi.quit().success());
        let messages = events.iter().filter(|event| event["type"] == "message_end").map(|event| &event["message"]);
        let results = messages.filter(|message| message["role"] == "toolResult");
        let fields = ["toolName", "content", "details", "isError", "usage"];
        let kept = |result: &Value| -> Value {
            let mut kept: Value = fields.iter().map(|field| ((*field).to_owned(), result[*field].clone())).collect();
            // What is thrown has an empty object, for which the types of some details have no value.
            if kept["isError"] == true && kept["details"].is_null() {
                kept["details"] = json!({});
            }
            kept
        };
        results.map(kept).collect()
    })
}

#[test]
fn read_is_as_pis_own() {
    if pi::install().is_none() {
        return;
    }
    let folder = project();
    let message: Vec<(&str, Value)> = [
        json!({ "path": "short.txt" }),
        json!({ "path": "short.txt", "offset": 2, "limit": 2 }),
        json!({ "path": "@short.txt", "offset": 9 }),
        json!({ "path": "full.txt" }),
        json!({ "path": "long.txt" }),
        json!({ "path": "long.txt", "offset": 100, "limit": 2000 }),
        json!({ "path": "long.txt", "offset": 4990 }),
        json!({ "path": "wide.txt" }),
        json!({ "path": "line.txt" }),
        json!({ "path": "point.png" }),
        json!({ "path": "missing.txt" }),
        json!({ "path": "." }),
    ]
    .map(|arguments| ("read", arguments))
    .into();
    let [own, standing] = both(folder.path(), &message, || ());
    assert_eq!(own.len(), message.len());
    for ((own, standing), (_, arguments)) in own.iter().zip(&standing).zip(&message) {
        assert_eq!(own, standing, "{arguments}");
    }
    // They were as they should be.
    assert_eq!(own[4]["details"]["truncation"]["totalLines"], 5000);
    assert_eq!(own[9]["content"][1]["type"], "image");
    assert_eq!((&own[10]["isError"], &own[10]["details"]), (&json!(true), &json!({})));
}

/// One command, and the file that its output is in.
fn without_file(mut result: Value) -> Value {
    if let Some(file) = result["details"]["fullOutputPath"].as_str().map(str::to_owned) {
        assert_eq!(
            fs::read_to_string(&file).unwrap(),
            (1..=3000).fold(String::new(), |all, n| all + &format!("{n}\n"))
        );
        result = serde_json::from_str(&result.to_string().replace(&file, "FILE")).unwrap();
    }
    result
}

#[test]
fn bash_refuses_some_commands_and_runs_the_others() {
    if pi::install().is_none() {
        return;
    }
    let folder = project();
    let message: Vec<(&str, Value)> = [
        json!({ "command": "echo one; exit 3" }),
        json!({ "command": "seq 1 3000" }),
        json!({ "command": "true" }),
        json!({ "command": "echo before; sleep 60", "timeout": 0.3 }),
        json!({ "command": "true", "timeout": -1 }),
    ]
    .map(|arguments| ("bash", arguments))
    .into();
    let [own, standing] = both(folder.path(), &message, || ());
    for ((own, standing), (_, arguments)) in own.into_iter().zip(standing).zip(&message) {
        assert_eq!(without_file(own), without_file(standing), "{arguments}");
    }

    let mut pi = Pi::options().bundle(STANDINS).directory(folder.path()).start();
    let result = call(&mut pi, "bash", json!({ "command": "rm short.txt" }));
    assert_eq!((result.text.as_str(), result.is_error), ("command: nothing is removed here", true));
    assert!(folder.path().join("short.txt").exists());
    // Updates come while it runs, and its end is Pi's own.
    pi.start_prompt("go", json!([calls(&[("bash", json!({ "command": "echo started; sleep 60" }))])]));
    pi.wait_event(|event| event["partialResult"]["content"][0]["text"] == "started\n");
    pi.abort();
    let result = tool_results(&pi.wait_settled()).remove(0);
    assert_eq!((result.text.as_str(), result.is_error), ("started\n\n\nCommand aborted", true));
    assert!(pi.quit().success());
}

#[test]
fn edit_takes_legacy_arguments() {
    if pi::install().is_none() {
        return;
    }
    let folder = project();
    let edits = json!([{ "oldText": "one", "newText": "1" }, { "oldText": "three", "newText": "3" }]);
    let message: Vec<(&str, Value)> = [
        json!({ "path": "0", "edits": edits }),
        json!({ "path": "1", "edits": edits.to_string() }),
        json!({ "path": "2", "edits": { "oldText": "one", "newText": "1" } }),
        json!({ "path": "3", "oldText": "two", "newText": "2" }),
        json!({ "path": "4", "oldText": "nowhere", "newText": "2" }),
        json!({ "path": "5", "edits": [] }),
    ]
    .map(|arguments| ("edit", arguments))
    .into();
    let before = "one\ntwo\nthree\n";
    let reset = || (0..message.len()).for_each(|file| fs::write(folder.path().join(file.to_string()), before).unwrap());
    let [own, standing] = both(folder.path(), &message, reset);
    for (file, ((own, standing), (_, arguments))) in own.iter().zip(&standing).zip(&message).enumerate() {
        assert_eq!(own, standing, "{arguments}");
        let is_changed = fs::read_to_string(folder.path().join(file.to_string())).unwrap() != before;
        assert_eq!((is_changed, standing["isError"] == true), (file < 4, file >= 4), "{arguments}");
    }
}

/// Whether the programs that some of them run are there or not.
#[test]
fn the_others_are_pis_own_too() {
    if pi::install().is_none() {
        return;
    }
    let folder = project();
    let message = [
        ("write", json!({ "path": "new/file.txt", "content": "new" })),
        ("write", json!({ "path": "short.txt/file.txt", "content": "new" })),
        ("grep", json!({ "pattern": "three", "limit": "5" })),
        ("find", json!({ "pattern": "*.png" })),
        ("powershell", json!({ "command": "Write-Output hi" })),
    ];
    let [own, standing] = both(folder.path(), &message, || _ = fs::remove_dir_all(folder.path().join("new")));
    for (own, standing) in own.iter().zip(&standing) {
        assert_eq!(own, standing);
    }
    assert_eq!(own.len(), message.len());
    assert_eq!(fs::read_to_string(folder.path().join("new/file.txt")).unwrap(), "new");
}

/// What the runtime cuts is told where the built-in tells it; how it is drawn in HTML is Pi's, too.
#[test]
fn outputs_of_ones_own() {
    let Some(programs) = pi::install() else { return };
    let folder = project();
    let session = folder.path().join("session.jsonl");
    let mut pi = Pi::options().bundle(STANDINS).directory(folder.path()).session(&session).start();
    let ToolResult { text, details, .. } = call(&mut pi, "find", json!({ "pattern": "2500" }));
    let content = text.split("\n\n[Showing lines 1-2000 of 2500. Full output: ").next().unwrap();
    let total = (1..=2500).map(|number| format!("file {number}\n").len()).sum::<usize>();
    let truncation = json!({
        "content": content, "truncated": true, "truncatedBy": "lines", "totalLines": 2500, "totalBytes": total,
        "outputLines": 2000, "outputBytes": content.len(), "lastLinePartial": false, "firstLineExceedsLimit": false,
        "maxLines": 2000, "maxBytes": 51_200,
    });
    assert_eq!(details, json!({ "resultLimitReached": 9, "truncation": truncation }));
    assert_eq!(call(&mut pi, "find", json!({ "pattern": "1" })).details, json!({ "resultLimitReached": 9 }));

    let ToolResult { text, details, .. } = call(&mut pi, "powershell", json!({ "command": "5" }));
    let file = details["fullOutputPath"].as_str().unwrap();
    assert_eq!(text, format!("line 3\nline 4\nline 5\n\n[Showing lines 3-5 of 5. Full output: {file}]"));
    assert_eq!(fs::read_to_string(file).unwrap(), lines(5));
    let content = &details["truncation"]["content"];
    assert_eq!((content, &details["truncation"]["maxLines"]), (&json!("line 3\nline 4\nline 5"), &json!(3)));

    // A call that holds the file would wait for itself.
    let result = call(&mut pi, "write", json!({ "path": "new.txt", "content": "held" }));
    assert!(result.is_error && result.text.contains("leave `mutates` out"), "{result:?}");
    let result = call(&mut pi, "pretender", json!({}));
    assert!(result.is_error && result.text.contains("pretender stands for no built-in tool"), "{result:?}");

    let found = call(&mut pi, "grep", json!({ "pattern": "needle", "path": "src" }));
    assert_eq!(found.text, "a.txt:1: needle");
    let page = folder.path().join("page.html");
    pi.request(json!({ "type": "export_html", "outputPath": page }));
    let drawn = r#"
        const page = require("fs").readFileSync(process.argv[1], "utf8");
        const [, data] = page.match(/<script id="session-data"[^>]*>([^<]*)</);
        console.log(JSON.stringify(JSON.parse(Buffer.from(data, "base64")).renderedTools));
    "#;
    let node = Command::new(programs.join("node")).arg("-e").arg(drawn).arg(&page).output().unwrap();
    assert!(node.status.success(), "{}", String::from_utf8_lossy(&node.stderr));
    let drawn = String::from_utf8(node.stdout).unwrap();
    for part in ["/needle/", " in src", "a.txt:1: needle", "PS&gt;"] {
        assert!(drawn.contains(part), "{part}: {drawn}");
    }
    assert!(pi.quit().success());
}

/// What is not registered is told once, with its reason, whatever begins anew.
#[test]
fn names_that_others_have() {
    if pi::install().is_none() {
        return;
    }
    let extension = |name: &str| workspace().join("tests/pi").join(name);
    let mut options = Pi::options().bundle(STANDINS);
    for name in ["definitions.ts", "overrides.ts", "relay.ts"] {
        options = options.extension(extension(name));
    }
    let mut pi = options.start();
    let told = |pi: &Pi| {
        let told = notifications(pi.events());
        told.iter().map(|(level, message)| format!("{level}: {message}")).collect::<Vec<_>>()
    };
    let expected = format!(
        "error: standins: not registered:\n\
         find: {} stands for Pi's built-in tool already. Use one of the two\n\
         ls: Pi has a built-in tool of this name. Write overrides = \"ls\" to stand for it, or give the tool another name\n\
         relay: {} has a tool of this name. Use one of the two, or give the tool another name",
        extension("overrides.ts").display(),
        extension("relay.ts").display(),
    );
    assert_eq!(told(&pi).join("\n"), expected);
    let descriptions = |pi: &mut Pi| -> Vec<Value> {
        let known = call(pi, "inspect", json!({})).details;
        let registered = known["registered"].as_array().unwrap();
        let described = |name: &&str| registered.iter().find(|tool| tool["name"] == **name).unwrap();
        ["find", "ls", "relay", "read"].iter().map(|name| described(name)["description"].clone()).collect()
    };
    let before = descriptions(&mut pi);
    assert_eq!(before[0], "The other one.");
    assert!(before[1].as_str().unwrap().starts_with("List directory contents."), "{before:?}");
    assert_eq!((&before[2], &before[3]), (&json!("Call another tool."), &json!("Read a file, and say so.")));

    pi.command("/reload-all");
    pi.request(json!({ "type": "new_session" }));
    pi.command("/reload-all");
    assert_eq!(descriptions(&mut pi), before);
    assert_eq!(told(&pi).join("\n"), expected);
    assert!(pi.quit().success());
}

/// As the terminal draws them: the frame of `edit` is its own.
#[test]
fn they_look_like_pis_own() {
    let Some(programs) = pi::install() else { return };
    let home = tempfile::tempdir().unwrap();
    let environment = |command: &mut Command| {
        command
            .env("HOME", home.path())
            .env("PATH", programs)
            .env_remove("XDG_CACHE_HOME")
            .env("PI_CODING_AGENT_DIR", home.path().join("agent"))
            .envs([("PI_OFFLINE", "1"), ("PI_TELEMETRY", "0"), ("PI_SKIP_VERSION_CHECK", "1")])
            .current_dir(home.path());
    };
    let mut start = Command::new(STANDINS);
    environment(start.args(["pi", "run", "--", "--version"]));
    assert!(start.output().unwrap().status.success());
    let extension = fs::read_dir(home.path().join(".cache/pi-tools")).unwrap().next().unwrap().unwrap().path();
    // Where it finds Pi.
    let program = target_folder().join("pi/drawn.mjs");
    fs::copy(workspace().join("tests/pi/drawn.mjs"), &program).unwrap();
    let mut node = Command::new(programs.join("node"));
    environment(node.arg(program).arg(extension));
    let output = node.output().unwrap();
    let drawn: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
    for (tool, lines) in drawn.as_object().unwrap() {
        assert!(!lines["own"].as_array().unwrap().is_empty());
        assert_eq!(lines["own"], lines["standing"], "{tool}");
    }
    assert_eq!(drawn.as_object().unwrap().len(), 7, "{drawn}");
}
