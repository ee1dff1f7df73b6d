//! What a tool asks of Pi: the user, the session, other tools, the queues of files.

use std::time::{Duration, Instant};

use pi_tools_tests::pi::{self, Pi, tool_results};
use pi_tools_tests::workspace;
use serde_json::{Value, json};

use super::{call, calls};

/// The bundle of tools that ask.
pub(crate) const OUTSIDE: &str = env!("CARGO_BIN_EXE_outside");

/// Lets the model call a tool that asks, and answers as the user would.
pub(super) fn answered(
    pi: &mut Pi,
    tool: &str,
    arguments: Value,
    method: &str,
    answer: Value,
) -> (Value, pi::ToolResult) {
    pi.start_prompt("go", json!([calls(&[(tool, arguments)])]));
    let asked = pi.wait_event(|event| event["type"] == "extension_ui_request" && event["method"] == method);
    pi.answer(&asked, answer);
    let result = tool_results(&pi.wait_settled()).remove(0);
    (asked, result)
}

#[test]
fn the_user_is_asked() {
    if pi::install().is_none() {
        return;
    }
    let mut pi = Pi::options().bundle(OUTSIDE).start();
    let (asked, result) =
        answered(&mut pi, "ask", json!({ "kind": "confirm" }), "confirm", json!({ "confirmed": true }));
    assert_eq!((&asked["title"], &asked["message"]), (&json!("Go on?"), &json!("There are 12 files.")));
    assert_eq!((result.text.as_str(), &result.details), ("true", &json!({ "available": true, "mode": "rpc" })));
    let ask = |kind: &str| json!({ "kind": kind });
    let (asked, result) = answered(&mut pi, "ask", ask("select"), "select", json!({ "value": "green" }));
    assert_eq!((&asked["options"], result.text.as_str()), (&json!(["red", "green"]), "\"green\""));
    let (asked, result) = answered(&mut pi, "ask", ask("input"), "input", json!({ "value": "Grace" }));
    assert_eq!((&asked["placeholder"], result.text.as_str()), (&json!("Ada"), "\"Grace\""));
    let (asked, result) = answered(&mut pi, "ask", ask("editor"), "editor", json!({ "value": "Dear Grace,\n" }));
    assert_eq!((&asked["prefill"], result.text.as_str()), (&json!("Dear Ada,\n"), "\"Dear Grace,\\n\""));
    let (_, result) = answered(&mut pi, "ask_blocking", json!({}), "confirm", json!({ "confirmed": false }));
    assert_eq!(result.text, "Some(false)");

    let (asked, result) = answered(&mut pi, "remove", json!({ "path": "a" }), "confirm", json!({ "confirmed": true }));
    assert_eq!((&asked["title"], result.text.as_str()), (&json!("Remove a?"), "removed a"));
    let (_, result) = answered(&mut pi, "remove", json!({ "path": "a" }), "confirm", json!({ "confirmed": false }));
    assert_eq!(result.text, "Tool execution was blocked: the user said no to \"Remove a?\"");

    // Nobody answers in time, or closes it.
    let limited = json!({ "kind": "input", "limit": 50 });
    assert_eq!(call(&mut pi, "ask", limited).text, "null");
    let (_, result) = answered(&mut pi, "ask", ask("select"), "select", json!({ "cancelled": true }));
    assert_eq!(result.text, "null");
    assert!(pi.quit().success());
}

/// A dialog ends with its call, and an answer that comes too late is nobody's.
#[test]
fn a_dialog_ends_with_its_call() {
    if pi::install().is_none() {
        return;
    }
    let mut pi = Pi::options().bundle(OUTSIDE).start();
    let is_question = |event: &Value| event["type"] == "extension_ui_request" && event["method"] != "notify";
    let arguments = |kind: &str| json!({ "kind": kind });
    let yes = json!({ "confirmed": true });
    for (tool, arguments) in [
        ("ask", arguments("confirm")),
        ("ask", arguments("editor")),
        ("ask_blocking", json!({})),
        ("remove", json!({ "path": "a" })),
    ] {
        pi.start_prompt("go", json!([calls(&[(tool, arguments)])]));
        let asked = pi.wait_event(is_question);
        let start = Instant::now();
        pi.abort();
        assert!(start.elapsed() < Duration::from_secs(5), "{tool}: {:?}", start.elapsed());
        pi.answer(&asked, yes.clone());
        let result = tool_results(&pi.wait_settled()).remove(0);
        // Who gets no answer may end by itself before it is ended.
        assert!(["Operation aborted", "null", "None"].contains(&result.text.as_str()), "{result:?}");
    }

    // Nobody answers in time: that is no no.
    for kind in ["confirm", "select", "editor"] {
        pi.start_prompt("go", json!([calls(&[("ask", json!({ "kind": kind, "limit": 50 }))])]));
        let asked = pi.wait_event(is_question);
        let result = tool_results(&pi.wait_settled()).remove(0);
        assert_eq!((result.text.as_str(), result.is_error), ("null", false), "{kind}");
        pi.answer(&asked, yes.clone());
    }

    // Two ask at once, and the second gets its answer first.
    let both = calls(&[("ask", arguments("input")), ("ask", arguments("select"))]);
    pi.start_prompt("go", json!([both]));
    let (first, second) = (pi.wait_event(is_question), pi.wait_event(is_question));
    pi.answer(&second, json!({ "value": "green" }));
    pi.answer(&first, json!({ "value": "Grace" }));
    let results = tool_results(&pi.wait_settled());
    assert_eq!((&first["method"], &second["method"]), (&json!("input"), &json!("select")));
    assert_eq!((results[0].text.as_str(), results[1].text.as_str()), ("\"Grace\"", "\"green\""));

    // Answers that are none.
    for answer in [json!({ "value": 5 }), json!({ "value": ["green"] }), json!({})] {
        let (_, result) = answered(&mut pi, "ask", arguments("select"), "select", answer);
        assert_eq!((result.text.as_str(), result.is_error), ("null", false));
    }

    // The bundle is killed while somebody is asked.
    pi.start_prompt("go", json!([calls(&[("ask", arguments("confirm"))])]));
    let asked = pi.wait_event(is_question);
    let [bundle] = pi.bundle_pids()[..] else { panic!("one bundle runs") };
    pi::kill(bundle);
    let result = tool_results(&pi.wait_settled()).remove(0);
    assert!(result.is_error && result.text.contains("SIGKILL"), "{result:?}");
    pi.answer(&asked, yes);
    let (_, result) = answered(&mut pi, "ask", arguments("confirm"), "confirm", json!({ "confirmed": false }));
    assert_eq!(result.text, "false");
    assert!(pi.quit().success());
}

/// Nobody is there to be asked, and all else works.
#[test]
fn without_a_user() {
    if pi::install().is_none() {
        return;
    }
    for (mode, arguments) in [("print", &["--print"][..]), ("json", &["--mode", "json"])] {
        let folder = tempfile::tempdir().unwrap();
        let session = folder.path().join("session.jsonl");
        let ask = |kind: &str| ("ask", json!({ "kind": kind }));
        let steps = json!([
            calls(&[ask("confirm"), ask("select"), ask("input"), ask("editor")]),
            calls(&[("ask_blocking", json!({})), ("remove", json!({ "path": "a" }))]),
            calls(&[("status", json!({ "text": "busy" })), ("keep", json!({ "what": "tea" }))]),
            calls(&[("surroundings", json!({})), ("delegate", json!({ "tool": "bash", "arguments": { "command": "echo hi" } }))]),
            { "text": "That was all." },
        ]);
        let written = Pi::options().bundle(OUTSIDE).session(&session).run(arguments, "go", steps);
        if mode == "print" {
            assert_eq!(written, "That was all.\n");
        } else {
            let events: Vec<Value> = written.lines().map(|line| serde_json::from_str(line).expect(line)).collect();
            assert_eq!(tool_results(&events).len(), 10);
        }
        let entries = pi::read_json_lines(&session);
        assert!(entries.iter().any(|entry| entry["customType"] == "outside" && entry["data"]["what"] == "tea"));
        let ended = entries.iter().map(|entry| json!({ "type": "message_end", "message": entry["message"] }));
        let results = tool_results(&ended.collect::<Vec<_>>());
        for result in &results[..4] {
            let details = json!({ "available": false, "mode": mode });
            assert_eq!((result.text.as_str(), result.is_error, &result.details), ("null", false, &details));
        }
        let texts: Vec<&str> = results[4..].iter().map(|result| result.text.as_str()).collect();
        assert_eq!(texts[0], "None");
        assert!(results[5].is_error && texts[1].contains("nobody"), "{}", texts[1]);
        assert_eq!(texts[2..], ["done", "tea", "surroundings", "bash said: hi\n"]);
        assert_eq!(results[8].details["mode"], mode);
        assert_eq!(results[8].details["file"], json!(session));
    }
}

/// What the session is called, what it has, and what others append to it.
#[test]
fn the_session_is_known() {
    if pi::install().is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let session = folder.path().join("session.jsonl");
    let start = || {
        let journal = workspace().join("tests/pi/journal.ts");
        Pi::options().bundle(OUTSIDE).extension(journal).session(&session).start()
    };
    let kept = |pi: &mut Pi, custom_type: &str| {
        let text = call(pi, "kept", json!({ "custom_type": custom_type })).text;
        serde_json::from_str::<Value>(&text).unwrap()
    };
    let mut pi = start();
    pi.command("/journal others [1]");
    let found = call(&mut pi, "surroundings", json!({})).details;
    assert_eq!((&found["mode"], &found["file"], &found["name"]), (&json!("rpc"), &json!(session), &json!(null)));
    assert_eq!(found["model"]["id"], "scripted-1", "{found}");
    assert!(found["id"].as_str().is_some_and(|id| !id.is_empty()), "{found}");
    assert!(found["cwd"].as_str().is_some_and(|cwd| cwd.ends_with("project")), "{found}");
    let types: Vec<&str> =
        found["branch"].as_array().unwrap().iter().filter_map(|entry| entry["type"].as_str()).collect();
    assert!(types.contains(&"message") && types.contains(&"custom"), "{types:?}");

    // Own entries are there at once, and on the branch that is asked for next.
    assert_eq!(call(&mut pi, "keep", json!({ "what": "tea" })).text, "tea");
    let tea = pi.entries().last().unwrap()["id"].as_str().unwrap().to_owned();
    assert_eq!(call(&mut pi, "keep", json!({ "what": "milk" })).text, "tea, milk");
    assert!(call(&mut pi, "keep_and_look", json!({})).text.starts_with("\"here\" in "));

    // The name follows, and a call that runs meanwhile loses nothing.
    pi.start_prompt("go", json!([calls(&[("tally", json!({ "takes": 400 }))])]));
    pi.wait_event(|event| event["type"] == "tool_execution_start");
    pi.request(json!({ "type": "set_session_name", "name": "Errands" }));
    pi.wait_settled();
    assert_eq!(call(&mut pi, "tally", json!({})).text, "counted to 2");
    assert_eq!(call(&mut pi, "surroundings", json!({})).details["name"], "Errands");

    // Those of others are there after a restore: of the tree, of another process.
    pi.command("/journal others");
    pi.command(&format!("/goto {tea}"));
    assert_eq!(kept(&mut pi, "outside"), json!([{ "what": "tea" }]));
    assert_eq!(kept(&mut pi, "outside-look"), json!([]));
    assert_eq!(kept(&mut pi, "others"), json!([[1]]));
    pi.command("/journal others");
    pi.command("/journal others {\"two\":2}");
    assert!(pi.quit().success());
    let mut pi = start();
    assert_eq!(kept(&mut pi, "others"), json!([[1], null, { "two": 2 }]));
    assert_eq!(call(&mut pi, "keep", json!({ "what": "bread" })).text, "tea, bread");
    assert_eq!(call(&mut pi, "surroundings", json!({})).details["name"], "Errands");
    assert!(pi.quit().success());
}

#[test]
fn a_long_session_is_read_soon() {
    if pi::install().is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let session = folder.path().join("session.jsonl");
    let mut file = pi_tools::SessionFile::open(&session, ".").unwrap();
    file.append_message(json!({ "role": "user", "content": "begin", "timestamp": 1 })).unwrap();
    drop(file);
    let mut lines = std::fs::read_to_string(&session).unwrap();
    let mut parent = pi::read_json_lines(&session)[1]["id"].as_str().unwrap().to_owned();
    for n in 0..10_000 {
        let id = format!("{n:08x}");
        let entry = json!({
            "type": "custom", "id": id, "parentId": parent, "timestamp": "2026-01-01T00:00:00.000Z",
            "customType": "many", "data": { "n": n, "text": "x".repeat(500) },
        });
        lines.push_str(&entry.to_string());
        lines.push('\n');
        parent = id;
    }
    std::fs::write(&session, lines).unwrap();
    let mut pi = Pi::options().bundle(OUTSIDE).session(&session).start();
    let start = Instant::now();
    let text = call(&mut pi, "keep_and_look", json!({})).text;
    let took = start.elapsed();
    eprintln!("a branch of 10000 entries: {took:?}");
    let count: usize = text.strip_prefix("\"here\" in ").unwrap().parse().unwrap();
    assert!(count > 10_000, "{text}");
    assert!(took < Duration::from_secs(10), "{took:?}");
    assert!(pi.quit().success());
}

/// Whoever goes on in a call that is over, and in a session that is no more, does no harm to Pi.
#[test]
fn what_goes_on_after_its_session_harms_nobody() {
    if pi::install().is_none() {
        return;
    }
    let mut pi = Pi::options().bundle(OUTSIDE).start();
    for _ in 0..3 {
        pi.start_prompt("go", json!([calls(&[("nag", json!({}))])]));
        pi.wait_event(|event| event["type"] == "extension_ui_request" && event["method"] == "confirm");
        pi.request(json!({ "type": "new_session" }));
        assert_eq!(call(&mut pi, "keep", json!({ "what": "tea" })).text, "tea");
    }
    pi.start_prompt("go", json!([calls(&[("nag", json!({}))])]));
    pi.wait_event(|event| event["type"] == "extension_ui_request" && event["method"] == "confirm");
    pi.abort();
    // Its entries still go to the session, and all else to nobody.
    assert!(call(&mut pi, "keep", json!({ "what": "milk" })).text.ends_with("milk"));
    assert!(pi.quit().success());
}

/// What others keep in a session may be such that only they can read it.
#[test]
fn odd_data_of_others_harms_no_state() {
    if pi::install().is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let session = folder.path().join("session.jsonl");
    let start = || {
        let journal = workspace().join("tests/pi/journal.ts");
        Pi::options().bundle(env!("CARGO_BIN_EXE_lab")).extension(journal).session(&session).start()
    };
    let count = |pi: &mut Pi| call(pi, "count", json!({ "then": "return" })).text;
    let mut pi = start();
    assert_eq!(count(&mut pi), "counted to 1");
    // Half of a surrogate pair, in a text, in a key and behind a backslash; and what is nested very deep.
    pi.command(r#"/journal others {"title":"Nice \ud83d","\ud83d":"\\ud83d"}"#);
    pi.command(&format!("/journal others {}1{}", "[".repeat(300), "]".repeat(300)));
    pi.request(json!({ "type": "set_session_name", "name": "odd" }));
    assert_eq!(count(&mut pi), "counted to 2");
    assert!(pi.quit().success());
    let mut pi = start();
    assert_eq!(count(&mut pi), "counted to 3");
    assert!(pi.quit().success());
}
