//! What a bundle asks of its host, and what it makes of the answers.

use std::io::Read;
use std::process::Stdio;

use serde_json::{Value, json};

use super::{Bundle, text};

const OUTSIDE: &str = env!("CARGO_BIN_EXE_outside");

fn answer(bundle: &mut Bundle, id: &Value, key: &str, value: &Value) {
    bundle.send(&json!({ "jsonrpc": "2.0", "id": id, key: value }));
}

/// Starts a call that asks, and receives what it asks.
fn asked(bundle: &mut Bundle, id: u32, kind: &str) -> Value {
    bundle.start_call(id, "ask", &json!({ "kind": kind }));
    let question = bundle.receive();
    assert_eq!(question["method"], format!("ui/{kind}"), "{question}");
    assert_eq!(question["params"]["callId"], format!("call-{id}"));
    question["id"].clone()
}

#[test]
fn an_answer_is_for_one_question_and_once() {
    let mut bundle = Bundle::of(OUTSIDE, Stdio::piped());
    let first = asked(&mut bundle, 1, "input");
    let second = asked(&mut bundle, 2, "input");
    assert_ne!(first, second);
    for unknown in [json!("b99"), json!(0), json!(null), json!({}), json!([first.clone()])] {
        answer(&mut bundle, &unknown, "result", &json!("nobody's"));
    }
    answer(&mut bundle, &second, "result", &json!("Grace"));
    answer(&mut bundle, &second, "result", &json!("Ada"));
    answer(&mut bundle, &second, "error", &json!({ "code": 1, "message": "twice" }));
    assert_eq!(text(&bundle.answer(2).0["result"]), "\"Grace\"");
    answer(&mut bundle, &first, "result", &json!(null));
    assert_eq!(text(&bundle.answer(1).0["result"]), "null");
    assert_eq!(text(&bundle.call(3, "tally", &json!({}))), "counted to 1");
}

/// Nobody's answer, and told on stderr.
#[test]
fn an_answer_that_is_none_is_told() {
    let mut bundle = Bundle::of(OUTSIDE, Stdio::piped());
    for (id, kind, key, value) in [
        (1, "confirm", "result", json!("yes")),
        (2, "select", "result", json!(7)),
        (3, "editor", "result", json!({ "value": "x" })),
        (4, "confirm", "error", json!({ "code": -32000, "message": "the window is gone" })),
    ] {
        let question = asked(&mut bundle, id, kind);
        answer(&mut bundle, &question, key, &value);
        assert_eq!(text(&bundle.answer(id).0["result"]), "null", "{kind}");
    }
    // An error that is none is no message at all, and nobody is answered.
    let question = asked(&mut bundle, 5, "confirm");
    answer(&mut bundle, &question, "error", &json!("it is broken"));
    assert_eq!(bundle.receive()["error"]["code"], -32600);
    bundle.cancel(5);
    let (_, before) = bundle.answer(5);
    assert_eq!(before, [json!({ "jsonrpc": "2.0", "method": "$/cancel", "params": { "id": question } })]);

    bundle.start_call(6, "delegate", &json!({ "tool": "read", "arguments": {} }));
    let question = bundle.receive();
    answer(&mut bundle, &question["id"], "result", &json!({ "content": "none" }));
    let result = bundle.answer(6).0;
    assert!(text(&result["result"]).starts_with("Pi's answer to host/executeTool is not what it is to be"), "{result}");
    bundle.start_call(7, "append", &json!({ "path": "never", "line": "x" }));
    let question = bundle.receive();
    assert_eq!(question["method"], "host/lock");
    answer(&mut bundle, &question["id"], "error", &json!({ "code": -32000, "message": "it is a folder" }));
    assert_eq!(text(&bundle.answer(7).0["result"]), "it is a folder");
    bundle.start_call(8, "keep_and_look", &json!({}));
    assert_eq!(bundle.receive()["method"], "session/appendEntry");
    let question = bundle.receive();
    answer(&mut bundle, &question["id"], "result", &json!({ "branch": [] }));
    let result = bundle.answer(8).0;
    assert!(text(&result["result"]).starts_with("Pi's answer to session/branch is not what it is to be"), "{result}");

    let mut stderr = bundle.process.stderr.take().unwrap();
    bundle.close();
    let mut told = String::new();
    stderr.read_to_string(&mut told).unwrap();
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!(lines.len(), 4, "{told}");
    assert!(
        lines[0].starts_with("pi-tools: ui/confirm: Pi's answer to ui/confirm is not what it is to be: invalid type")
    );
    assert_eq!(lines[3], "pi-tools: ui/confirm: the window is gone");
}

/// Both ways: the host cancels a call, and the bundle what that has asked for.
#[test]
fn a_cancelled_call_withdraws_its_question() {
    let mut bundle = Bundle::of(OUTSIDE, Stdio::piped());
    let question = asked(&mut bundle, 1, "input");
    bundle.cancel(1);
    let (answered, before) = bundle.answer(1);
    assert_eq!(text(&answered["result"]), "Operation aborted");
    assert_eq!(before, [json!({ "jsonrpc": "2.0", "method": "$/cancel", "params": { "id": question } })]);
    answer(&mut bundle, &question, "result", &json!("late"));

    // When its time is over, and when nobody waits for another tool any more.
    bundle.start_call(2, "ask", &json!({ "kind": "confirm", "limit": 30 }));
    let question = bundle.receive();
    assert_eq!(question["params"]["timeoutMs"], 30);
    let (answered, before) = bundle.answer(2);
    assert_eq!((text(&answered["result"]), &before[0]["params"]["id"]), ("null", &question["id"]));
    bundle.start_call(3, "delegate", &json!({ "tool": "read", "arguments": {}, "give_up": 30 }));
    let question = bundle.receive();
    let (answered, before) = bundle.answer(3);
    assert_eq!((text(&answered["result"]), &before[0]["params"]["id"]), ("gave up", &question["id"]));
    // Ids of the other side's requests are nobody's calls.
    bundle.send(&json!({ "jsonrpc": "2.0", "method": "$/cancel", "params": { "id": question["id"] } }));
    bundle.send(&json!({ "jsonrpc": "2.0", "method": "$/cancel", "params": {} }));
    assert_eq!(text(&bundle.call(4, "tally", &json!({}))), "counted to 1");
}

#[test]
fn updates_of_another_tool_go_to_its_caller() {
    let mut bundle = Bundle::of(OUTSIDE, Stdio::piped());
    bundle.start_call(1, "delegate", &json!({ "tool": "bash", "arguments": {} }));
    let question = bundle.receive()["id"].clone();
    let output = json!({ "content": [{ "type": "text", "text": "one" }] });
    for (id, output) in [(&json!("b7"), &output), (&question, &json!({ "content": 1 })), (&question, &output)] {
        bundle.send(&json!({
            "jsonrpc": "2.0", "method": "host/executeTool/update", "params": { "id": id, "output": output },
        }));
    }
    let update = bundle.receive();
    assert_eq!((&update["method"], text(&update["params"])), (&json!("tools/update"), "bash: one"));
    answer(&mut bundle, &question, "result", &output);
    assert_eq!(text(&bundle.answer(1).0["result"]), "bash said: one");
}

/// A lock is given back when the call is over, whatever became of it.
#[test]
fn a_file_is_given_back() {
    let folder = tempfile::tempdir().unwrap();
    let mut bundle = Bundle::of(OUTSIDE, Stdio::piped());
    let path = folder.path().join("a.txt");
    for (id, is_cancelled) in [(1, false), (2, true)] {
        bundle.start_call(
            id,
            "append",
            &json!({ "path": path, "line": "x", "takes": if is_cancelled { 60_000 } else { 1 } }),
        );
        let question = bundle.receive();
        assert_eq!(question["params"]["callId"], format!("call-{id}"));
        answer(&mut bundle, &question["id"], "result", &json!({ "lockId": id }));
        assert_eq!(bundle.receive()["method"], "tools/update");
        if is_cancelled {
            bundle.cancel(id);
        }
        let (_, before) = bundle.answer(id);
        let unlock = json!({ "jsonrpc": "2.0", "method": "host/unlock", "params": { "lockId": id } });
        assert_eq!(before, [unlock]);
    }
}

#[test]
fn the_name_of_the_session_changes_alone() {
    let mut bundle = Bundle::of(OUTSIDE, Stdio::piped());
    bundle.send(&json!({
        "jsonrpc": "2.0", "method": "session/state",
        "params": {
            "states": { "tally": 6 }, "entries": [{ "customType": "outside", "data": { "what": "tea" } }, { "customType": "empty" }],
            "session": { "id": "s", "file": "/s.jsonl" },
        },
    }));
    bundle.start_call(1, "tally", &json!({ "takes": 50 }));
    bundle.send(&json!({
        "jsonrpc": "2.0", "method": "session/info", "params": { "id": "s", "file": "/s.jsonl", "name": "Errands" },
    }));
    assert_eq!(text(&bundle.answer(1).0["result"]), "counted to 7");
    assert_eq!(text(&bundle.call(2, "tally", &json!({}))), "counted to 8");
    assert_eq!(text(&bundle.call(3, "kept", &json!({ "custom_type": "empty" }))), "[null]");
    assert_eq!(text(&bundle.call(4, "kept", &json!({ "custom_type": "outside" }))), "[{\"what\":\"tea\"}]");
    bundle.start_call(5, "surroundings", &json!({}));
    let question = bundle.receive();
    answer(&mut bundle, &question["id"], "result", &json!([]));
    let details = bundle.answer(5).0["result"]["details"].take();
    assert_eq!((&details["id"], &details["name"], &details["mode"]), (&json!("s"), &json!("Errands"), &json!("rpc")));
}
