//! From a bundle's start to its end: beside others, over sessions and reloads, and whatever goes wrong with it.

use std::fs;
use std::path::PathBuf;
use std::thread::sleep;
use std::time::{Duration, Instant};

use pi_tools_tests::pi::{self, Pi, ToolResult, notifications, tool_results};
use pi_tools_tests::workspace;
use serde_json::{Value, json};

use super::bundles::Bundles;
use super::{LAB, call, calls, gone, signal};

fn commands() -> PathBuf {
    workspace().join("tests/pi/lifecycle.ts")
}

fn count(pi: &mut Pi) -> String {
    call(pi, "count", json!({ "then": "succeed" })).text
}

fn remember(pi: &mut Pi, what: &str) -> String {
    call(pi, "remember", json!({ "what": what })).text
}

/// The id of the bundle's process.
fn process(pi: &mut Pi) -> u32 {
    let pid = call(pi, "whoami", json!({})).details["pid"].as_u64();
    pid.and_then(|pid| pid.try_into().ok()).unwrap()
}

fn runs(pid: u32) -> bool {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    // Who has ended, and is not reaped yet, does not run.
    !status.is_empty() && !status.contains("State:\tZ")
}

fn within(limit: Duration, what: &str, is_true: impl Fn() -> bool) {
    let start = Instant::now();
    while !is_true() {
        assert!(start.elapsed() < limit, "{what}: not after {limit:?}");
        sleep(Duration::from_millis(10));
    }
}

/// Whether a process runs whose command line contains this.
fn runs_command(marker: &str) -> bool {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let mut lines = processes.filter_map(|process| fs::read(process.path().join("cmdline")).ok());
    lines.any(|line| String::from_utf8_lossy(&line).contains(marker))
}

/// The tools that the model was told of last.
fn tools(pi: &mut Pi) -> Vec<String> {
    pi.prompt("go", json!([]));
    let request = pi.recorded().pop().unwrap();
    let tools = request["tools"].as_array().unwrap();
    tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

fn errors(pi: &Pi) -> Vec<&str> {
    notifications(pi.events()).into_iter().filter(|(level, _)| *level == "error").map(|(_, message)| message).collect()
}

#[test]
fn two_bundles_may_have_a_name_or_a_state_in_common() {
    if pi::install().is_none() {
        return;
    }
    let bundles = Bundles::new();
    let peek = r#"serve([{ name: "count" }, { name: "peek", state: ["count"] }], ({ id, method, params }) => {
        if (method === "session/state") states = params.states;
        if (method === "tools/call") answer(id, JSON.stringify(states));
    });
    let states;"#;
    bundles.script("peeking", peek);
    let mut pi = Pi::options().bundle(LAB).extension(bundles.extension("peeking")).start();
    let told: Vec<&str> = errors(&pi).into_iter().filter(|message| message.contains("scripted")).collect();
    let [message] = told[..] else { panic!("{told:?}") };
    // Which, and whose.
    assert!(message.contains("count: ") && message.contains("pi-tools/lab-"), "{message}");
    assert!(!message.contains("peek"), "{message}");
    assert_eq!(count(&mut pi), "counted to 1");
    // The last result with the key counts, whoever gave it.
    assert_eq!(call(&mut pi, "peek", json!({})).text, "{\"count\":1}");
    assert_eq!(count(&mut pi), "counted to 2");
    assert!(pi.quit().success());
}

#[test]
fn an_executable_that_was_built_anew_is_reloaded() {
    if pi::install().is_none() {
        return;
    }
    let bundles = Bundles::new();
    bundles.copy("bundle", LAB);
    let mut pi = Pi::options().extension(bundles.extension("bundle")).extension(commands()).start();
    assert_eq!(count(&mut pi), "counted to 1");
    let old = process(&mut pi);

    // Until then the old one goes on.
    bundles.copy("bundle", super::context::OUTSIDE);
    assert_eq!(count(&mut pi), "counted to 2");
    pi.command("/load-again");
    within(Duration::from_secs(1), "the old process is gone", || !runs(old));
    let now = tools(&mut pi);
    let has = |name: &str| now.iter().any(|tool| tool == name);
    assert!(has("surroundings") && !has("count") && !has("whoami"), "{now:?}");
    assert_eq!(call(&mut pi, "surroundings", json!({})).details["model"]["provider"], "scripted");
    let result = call(&mut pi, "count", json!({ "then": "succeed" }));
    assert_eq!((result.text.as_str(), result.is_error), ("Tool count not found", true));

    // It does not build any more: that is told once, and Pi goes on without.
    fs::remove_file(bundles.path("bundle")).unwrap();
    let before = errors(&pi).len();
    pi.command("/load-again");
    assert!(!tools(&mut pi).iter().any(|tool| tool == "surroundings"));
    let told = errors(&pi)[before..].join("\n");
    assert!(told.contains("bundle does not exist") && told.matches("No tools from").count() == 1, "{told}");

    // And it is there again, with the state that the session has.
    bundles.copy("bundle", LAB);
    pi.command("/load-again");
    assert_eq!(count(&mut pi), "counted to 3");
    assert!(pi.quit().success());
}

#[test]
fn states_and_entries_follow_the_session() {
    if pi::install().is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let first = folder.path().join("first.jsonl");
    let mut pi = Pi::options().bundle(LAB).session(&first).start();
    assert_eq!(count(&mut pi), "counted to 1");
    assert_eq!(remember(&mut pi, "tea"), "remembered: tea");
    assert_eq!(count(&mut pi), "counted to 2");
    let old = process(&mut pi);

    pi.request(json!({ "type": "new_session" }));
    within(Duration::from_secs(1), "the process of the old session is gone", || !runs(old));
    assert_eq!(count(&mut pi), "counted to 1");
    assert_eq!(remember(&mut pi, "bread"), "remembered: bread");

    pi.request(json!({ "type": "switch_session", "sessionPath": first }));
    assert_eq!(remember(&mut pi, "milk"), "remembered: tea, milk");
    assert_eq!(count(&mut pi), "counted to 3");

    // A clone has all of it, and leaves the original alone.
    pi.request(json!({ "type": "clone" }));
    assert_eq!(count(&mut pi), "counted to 4");
    assert_eq!(remember(&mut pi, "sugar"), "remembered: tea, milk, sugar");

    // A fork begins before a message of the user: the third, which has counted to 2.
    let messages = pi.request(json!({ "type": "get_fork_messages" }));
    let third = messages["data"]["messages"][2]["entryId"].clone();
    pi.request(json!({ "type": "fork", "entryId": third }));
    assert_eq!(remember(&mut pi, "salt"), "remembered: tea, salt");
    assert_eq!(count(&mut pi), "counted to 2");

    // Within one session, the process stays and is told where it is.
    let here = process(&mut pi);
    let entries = pi.entries();
    let counted = entries.iter().find(|entry| entry["message"]["details"]["count"] == 1).unwrap();
    pi.command(&format!("/goto {}", counted["id"].as_str().unwrap()));
    assert_eq!(remember(&mut pi, "rice"), "remembered: rice");
    assert_eq!(count(&mut pi), "counted to 2");
    assert_eq!(process(&mut pi), here);

    pi.request(json!({ "type": "switch_session", "sessionPath": first }));
    assert_eq!(count(&mut pi), "counted to 4");
    assert_eq!(remember(&mut pi, "oil"), "remembered: tea, milk, oil");
    assert!(pi.quit().success());
}

#[test]
fn garbage_harms_only_the_call_that_it_comes_with() {
    if pi::install().is_none() {
        return;
    }
    let bundles = Bundles::new();
    let garbage = r#"const names = ["rubbish", "twice", "empty", "number", "endless", "fine", "pid"];
    serve(names.map((name) => ({ name })), ({ id, method, params }) => {
        if (method !== "tools/call") return;
        const write = (data) => process.stdout.write(data);
        switch (params.name) {
            case "rubbish":
                write("rubbish\n{\"half\": \n\n[1, 2]\nnull\n");
                write(Buffer.from([0xff, 0xfe, 0x0a, 0xc3, 0x28, 0x0a]));
                send({ id: 99, result: { content: [] } });
                send({ id: "nobody", result: null });
                send({ method: "nothing/known", params: 7 });
                send({ method: "tools/update", params: { callId: "nobody", content: [] } });
                send({ method: "tools/update", params: { callId: params.callId, content: "no array" } });
                return answer(id, "after the rubbish");
            case "twice":
                answer(id, "one");
                return answer(id, "two");
            case "empty":
                return send({ id });
            case "number":
                return send({ id, result: { content: 7 } });
            case "endless": {
                const block = Buffer.alloc(1 << 20, "x");
                const more = (blocks) => blocks > 0 && process.stdout.write(block, () => more(blocks - 1));
                return more(300);
            }
            default:
                return answer(id, params.name === "pid" ? `${process.pid}` : "fine");
        }
    });"#;
    bundles.script("garbage", garbage);
    let mut pi = Pi::options().extension(bundles.extension("garbage")).start();
    let mut text = |name: &str| {
        let result = call(&mut pi, name, json!({}));
        (result.text, result.is_error)
    };
    let pid = text("pid");
    assert_eq!(text("rubbish"), ("after the rubbish".to_owned(), false));
    assert_eq!(text("rubbish"), ("after the rubbish".to_owned(), false));
    assert_eq!(text("twice"), ("one".to_owned(), false));
    for name in ["empty", "number"] {
        let expected = format!("{name}: the tools process answered with a result that has no content");
        assert_eq!(text(name), (expected, true));
    }
    assert_eq!(text("fine"), ("fine".to_owned(), false));
    assert_eq!(text("pid"), pid);
    let (problem, is_error) = text("endless");
    assert!(problem.contains("endless") && problem.contains("a line of more than 268435456 bytes"), "{problem}");
    assert!(is_error);
    assert_eq!(text("fine"), ("fine".to_owned(), false));
    let told = notifications(pi.events());
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].0 == "warning" && told[0].1.contains("printed to standard output"), "{told:?}");
    assert!(pi.quit().success());
}

/// Pi starts whatever is wrong with an executable, and tells what.
#[test]
fn executables_that_are_none() {
    if pi::install().is_none() {
        return;
    }
    let bundles = Bundles::new();
    fs::create_dir(bundles.path("folder")).unwrap();
    bundles.build("forbidden", b"#!/bin/sh\necho '{}'\n", 0o644);
    bundles.build("prose", b"Nothing that a system runs.\n", 0o755);
    bundles.build("uninterpreted", b"#!/no/such/interpreter\n", 0o755);
    bundles.build("talkative", b"#!/bin/sh\necho Hello!\n", 0o755);
    bundles.build("silent", b"#!/bin/sh\n", 0o755);
    bundles.build("failing", b"#!/bin/sh\necho out of luck >&2\nexit 3\n", 0o755);
    bundles.build("dying", b"#!/bin/sh\nkill -9 $$\n", 0o755);
    bundles.build("modern", b"#!/bin/sh\necho '{\"protocolVersion\":2,\"name\":\"x\",\"tools\":[]}'\n", 0o755);
    let nameless = b"#!/bin/sh\necho '{\"protocolVersion\":1,\"name\":\"x\",\"tools\":[{\"parameters\":{}}]}'\n";
    bundles.build("nameless", nameless, 0o755);
    bundles.build("slow", b"#!/bin/sh\nsleep 60\n", 0o755);
    bundles.script(
        "fine",
        "serve([{ name: \"fine\" }], ({ id, method }) => method === \"tools/call\" && answer(id, \"ok\"));",
    );
    let problems = [
        ("missing", "missing does not exist"),
        ("folder", "folder is a folder"),
        ("forbidden", "forbidden is not executable"),
        ("prose", "its manifest ended with exit code 127"),
        ("uninterpreted", "the interpreter that "),
        ("talkative", "is not a JSON object but begins with \"Hello!\\n\""),
        ("silent", "is not a JSON object but begins with \"\""),
        ("failing", "its manifest ended with exit code 3\nout of luck"),
        ("dying", "its manifest ended with signal SIGKILL"),
        ("modern", "it speaks protocol version 2, but this extension 1"),
        ("nameless", "lacks a name"),
        ("slow", "its manifest took more than 10 s"),
    ];
    let mut options = Pi::options();
    for (name, _) in problems {
        options = options.extension(bundles.extension(name));
    }
    let mut pi = options.extension(bundles.extension("fine")).start();
    for (name, problem) in problems {
        let path = format!("No tools from {}: ", bundles.path(name).display());
        let told: Vec<&str> = errors(&pi).into_iter().filter(|message| message.starts_with(&path)).collect();
        assert!(told.len() == 1 && told[0].contains(problem), "{name}: {told:?}");
    }
    assert_eq!(call(&mut pi, "fine", json!({})).text, "ok");
    assert!(pi.quit().success());
}

#[test]
fn an_executable_goes_and_comes_back_while_pi_runs() {
    if pi::install().is_none() {
        return;
    }
    let bundles = Bundles::new();
    bundles.copy("bundle", LAB);
    let mut pi = Pi::options().extension(bundles.extension("bundle")).start();
    assert_eq!(count(&mut pi), "counted to 1");
    fs::remove_file(bundles.path("bundle")).unwrap();
    let pid = process(&mut pi);
    signal(pid, "KILL");
    within(Duration::from_secs(5), "the process is gone", || !runs(pid));
    for _ in 0..2 {
        let result = call(&mut pi, "count", json!({ "then": "succeed" }));
        let problem = "bundle does not exist: ";
        assert!(result.is_error && result.text.starts_with("count: ") && result.text.contains(problem), "{result:?}");
    }
    bundles.copy("bundle", LAB);
    assert_eq!(count(&mut pi), "counted to 2");
    assert!(pi.quit().success());
}

/// A host that reads nothing for a while, and one that cannot show as much as it is told.
#[test]
fn updates_replace_each_other() {
    if pi::install().is_none() {
        return;
    }
    let mut pi = Pi::options().bundle(LAB).extension(commands()).start();
    let burst = |updates: u32, bytes: usize, pause: u64| {
        let arguments = json!({ "updates": updates, "bytes": bytes, "pause": pause });
        json!([calls(&[("burst", arguments)])])
    };
    let shown = |events: &[Value]| -> Vec<String> {
        let updates = events.iter().filter(|event| event["type"] == "tool_execution_update");
        let texts = updates.map(|event| event["partialResult"]["content"][0]["text"].as_str().unwrap().to_owned());
        texts.map(|text| text.split(' ').next().unwrap().to_owned()).collect()
    };
    let start = Instant::now();
    let events = pi.prompt("go", burst(1000, 10, 1));
    let most = start.elapsed().as_millis() / 50 + 2;
    let numbers = shown(&events);
    assert!(numbers.len() >= 2 && (numbers.len() as u128) <= most, "{} of at most {most}", numbers.len());
    assert_eq!((numbers[0].as_str(), numbers.last().unwrap().as_str()), ("1", "1000"));

    // 60 MB of updates, while nobody reads.
    let bundle = process(&mut pi);
    pi.start_prompt("go", burst(600, 100_000, 0));
    pi.wait_event(|event| event["type"] == "tool_execution_update");
    signal(pi.pid(), "STOP");
    // It works on, as far as that can be seen, until it has nothing more to do.
    let ticks = || {
        let status = fs::read_to_string(format!("/proc/{bundle}/stat")).unwrap();
        status.rsplit_once(')').unwrap().1.split_whitespace().nth(11).unwrap().to_owned()
    };
    let mut before = String::new();
    while before != ticks() {
        before = ticks();
        sleep(Duration::from_millis(500));
    }
    let status = fs::read_to_string(format!("/proc/{bundle}/status")).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap().trim();
    let peak: u32 = peak.trim_end_matches(" kB").parse().unwrap();
    signal(pi.pid(), "CONT");
    let events = pi.wait_settled();
    assert!(peak < 30_000, "{peak} KB");
    let numbers = shown(&events);
    assert_eq!(numbers.last().unwrap(), "600");
    assert!(numbers.len() < 300, "{}", numbers.len());
    assert!(tool_results(&events)[0].text.starts_with("600 x"));

    // Results are not cut, nor do they wait for each other.
    let large = json!({ "tool": "burst", "arguments": { "updates": 0, "bytes": 50_000_000 } });
    assert_eq!(call(&mut pi, "weigh", large).text, "50000002");
    let several =
        [5, 6, 7].map(|n| ("weigh", json!({ "tool": "burst", "arguments": { "updates": 0, "bytes": n * 1_000_000 } })));
    let results = tool_results(&pi.prompt("go", json!([calls(&several)])));
    let texts: Vec<&str> = results.iter().map(|result| result.text.as_str()).collect();
    assert_eq!(texts, ["5000002", "6000002", "7000002"]);
    assert!(pi.quit().success());
}

#[test]
fn a_bundle_that_does_not_read_is_replaced() {
    if pi::install().is_none() {
        return;
    }
    let bundles = Bundles::new();
    // The first process does not read, the second does.
    let deaf = r#"const { existsSync, writeFileSync } = require("node:fs");
    const marker = `${__filename}.started`;
    const isSecond = existsSync(marker);
    if (process.argv[2] === "serve") writeFileSync(marker, "");
    if (process.argv[2] === "serve" && !isSecond) setInterval(() => {}, 1000);
    else serve([{ name: "listen" }], ({ id, method }) => method === "tools/call" && answer(id, "heard"));"#;
    bundles.script("deaf", deaf);
    let mut pi = Pi::options().extension(bundles.extension("deaf")).start();
    let listen = ("listen", json!({ "text": "x".repeat(1_000_000) }));
    pi.start_prompt("go", json!([calls(&vec![listen; 5])]));
    for _ in 0..5 {
        pi.wait_event(|event| event["type"] == "tool_execution_start");
    }
    sleep(Duration::from_millis(300));
    let start = Instant::now();
    pi.abort();
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    let results = tool_results(&pi.wait_settled());
    let is_aborted = |result: &ToolResult| result.is_error && result.text == "Operation aborted";
    assert!(results.len() == 5 && results.iter().all(is_aborted), "{results:?}");
    assert_eq!(call(&mut pi, "listen", json!({})).text, "heard");
    assert!(pi.quit().success());
}

/// Whoever is told to end, or killed: what the tools have started ends, too.
#[test]
fn no_grandchild_stays() {
    if pi::install().is_none() {
        return;
    }
    // A command that no other process has.
    let marker = format!("7{}.5", std::process::id());
    let command = format!("sleep {marker} & sleep {marker}; exit 1");
    let start = |pi: &mut Pi| {
        pi.start_prompt("go", json!([calls(&[("shell", json!({ "command": command }))])]));
        within(Duration::from_secs(20), "the command runs", || runs_command(&marker));
    };
    let ended = |whose: &str| within(Duration::from_secs(5), whose, || !runs_command(&marker));

    let mut pi = Pi::options().bundle(LAB).start();
    start(&mut pi);
    let [bundle] = pi.bundle_pids()[..] else { panic!("one bundle runs") };
    signal(bundle, "TERM");
    let result = tool_results(&pi.wait_settled()).remove(0);
    assert!(result.is_error && result.text.starts_with("shell: ") && result.text.contains("143"), "{result:?}");
    ended("SIGTERM of the bundle");
    assert_eq!(count(&mut pi), "counted to 1");

    // Also when a tool keeps the thread to itself.
    pi.start_prompt("go", json!([calls(&[("hog", json!({}))])]));
    pi.wait_event(|event| event["type"] == "tool_execution_start");
    sleep(Duration::from_millis(200));
    let [bundle] = pi.bundle_pids()[..] else { panic!("one bundle runs") };
    signal(bundle, "TERM");
    assert!(tool_results(&pi.wait_settled())[0].text.contains("143"));

    start(&mut pi);
    signal(pi.pid(), "TERM");
    assert_eq!(pi.ended().code(), Some(143));
    ended("SIGTERM of Pi");
    gone(&pi);

    let mut pi = Pi::options().bundle(LAB).start();
    start(&mut pi);
    pi.kill();
    ended("SIGKILL of Pi");
    gone(&pi);
}
