//! The command line, where a transcript does not reach: pipes and signals.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use pi_tools::schema::Dialect;
use serde_json::{Value, json};

const LAB: &str = env!("CARGO_BIN_EXE_lab");

fn lab(arguments: &[&str]) -> Command {
    pi_tools_tests::command(LAB, arguments)
}

fn output(arguments: &[&str]) -> (String, String, Option<i32>) {
    pi_tools_tests::output(LAB, arguments)
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
fn check_is_a_table_and_json() {
    let (table, stderr, status) = output(&["check"]);
    assert_eq!((stderr.as_str(), status), ("", Some(0)));
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split_whitespace().collect()).collect();
    let dialects = Dialect::ALL.map(Dialect::name);
    assert_eq!(rows[0], [&["tool", "bytes", "tokens"], &dialects[..]].concat());
    assert!(rows.iter().any(|row| row[..2] == ["count", "355"] && row.ends_with(&["ok", "ok"])), "{table}");
    assert!(table.contains("\nopenai-strict: /: `required` is added, because "), "{table}");

    let (json, _, status) = output(&["check", "--format", "json", "--for", "google", "--for", "anthropic"]);
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!((status, &json["problems"], &json["breaks"]), (Some(0), &json!([]), &json!([])));
    let tool = json["tools"].as_array().unwrap().iter().find(|tool| tool["name"] == "crash").unwrap();
    let [google, anthropic] = tool["dialects"].as_array().unwrap().as_slice() else { panic!("{tool}") };
    assert_eq!((&google["dialect"], &anthropic["dialect"]), (&json!("google"), &json!("anthropic")));
    assert_eq!(
        google["losses"][0],
        json!({
            "pointer": "",
            "keyword": "properties",
            "change": "removed",
            "why": "an object must not list nothing",
            "enforced": true,
        })
    );
    let bytes = anthropic["bytes"].as_u64().unwrap();
    assert_eq!(anthropic["tokens"], bytes.div_ceil(4));
}

/// An earlier manifest of which these tools may no longer keep what it promised.
#[test]
fn check_against_an_earlier_manifest() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("manifest.json");
    let against = |manifest: &Value| {
        std::fs::write(&path, manifest.to_string()).unwrap();
        let (table, stderr, status) = output(&["check", "--for", "openai", "--against", path.to_str().unwrap()]);
        let breaks = table.lines().filter_map(|line| line.strip_prefix("breaks earlier sessions: "));
        let breaks: Vec<String> = breaks.map(str::to_owned).collect();
        assert_eq!(status, Some(i32::from(!breaks.is_empty())), "{table}{stderr}");
        breaks
    };
    let mut manifest: Value = serde_json::from_str(&output(&["manifest"]).0).unwrap();
    assert_eq!(against(&manifest), [""; 0]);

    let tools = manifest["tools"].as_array_mut().unwrap();
    let tool = |tools: &mut Vec<Value>, name: &str| tools.iter().position(|tool| tool["name"] == name).unwrap();
    // What was published then, or what was enforced: either is enough, and both are told once.
    let count = tool(tools, "count");
    tools[count]["parameters"]["properties"]["then"]["enum"]
        .as_array_mut()
        .unwrap()
        .extend([json!("return"), json!("jump")]);
    let greeting = tool(tools, "greeting");
    tools[greeting]["enforced"] = json!({ "type": "object", "properties": {
        "name": { "type": ["string", "null"] },
        "loud": { "type": "boolean" },
    } });
    tools[greeting]["parameters"]["properties"]["loud"] = json!({ "type": "boolean" });
    tools.push(json!({ "name": "gone", "parameters": {} }));
    // `return` is an alias of a value.
    assert_eq!(
        against(&manifest),
        [
            "tool `count`: then: the value \"jump\" is gone",
            "tool `greeting`: loud: is gone, and nothing has its name as an alias",
            "tool `greeting`: name: was string or null and is string now",
            "tool `greeting`: name: is required now",
            "tool `greeting`: the arguments: takes no other fields now",
            "tool `gone`: it is gone",
        ]
    );

    for (content, problem) in [("{", "not JSON"), ("{}", "it is no manifest: it has no `tools`")] {
        std::fs::write(&path, content).unwrap();
        let (_, stderr, status) = output(&["check", "--against", path.to_str().unwrap()]);
        assert!(stderr.contains(problem) && status == Some(2), "{stderr}");
    }
    let (_, stderr, status) = output(&["check", "--against", "/nowhere.json"]);
    assert!(stderr.contains("/nowhere.json: ") && status == Some(2), "{stderr}");
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
