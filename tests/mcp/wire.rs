//! Every call is answered, whatever the tool and the client do.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::client::{Client, FIXTURE, LAB, MODERN, OUTSIDE, initialize, request, text};

#[test]
fn every_revision_is_spoken() {
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let mut client = Client::start(LAB, &[]);
        client.send(&initialize(version, &json!({})));
        let answer = client.receive();
        assert_eq!(answer["result"]["protocolVersion"], version);
        assert_eq!(answer["result"]["serverInfo"]["name"], "lab");
        let result = client.call("look", &json!({ "place": { "line": "3" } }));
        assert_eq!(text(&result), "line 3 of None");
        assert!(result.get("resultType").is_none(), "{result}");
    }
    let mut client = Client::modern(LAB, &[], &json!({}));
    let discovered = client.request("server/discover", json!({}));
    assert!(discovered["result"]["supportedVersions"].as_array().unwrap().contains(&json!(MODERN)), "{discovered}");
    let result = client.call("look", &json!({ "place": { "line": 3 } }));
    assert_eq!((text(&result), &result["resultType"]), ("line 3 of None", &json!("complete")));
}

#[test]
fn sound_is_told_of_where_there_was_none() {
    let call = |client: &mut Client| client.call("test_audio_content", &json!({}))["content"][0].clone();
    for (version, kind) in [("2024-11-05", "text"), ("2025-03-26", "audio"), ("2025-11-25", "audio")] {
        let mut client = Client::start(FIXTURE, &[]);
        client.send(&initialize(version, &json!({})));
        client.receive();
        let block = call(&mut client);
        assert_eq!(block["type"], kind, "{version}");
        if kind == "text" {
            assert_eq!(block["text"], "[audio/wav, 44 bytes]");
            // Resources were there from the beginning.
            let resource = client.call("test_embedded_resource", &json!({}));
            assert_eq!(resource["content"][0]["resource"]["uri"], "test://embedded-resource");
        }
    }
    let block = call(&mut Client::modern(FIXTURE, &[], &json!({})));
    assert_eq!((&block["type"], &block["mimeType"]), (&json!("audio"), &json!("audio/wav")));
}

#[test]
fn results_keep_what_the_protocol_has_a_place_for() {
    let mut client = Client::legacy(LAB, &[], &json!({}));
    let chart = client.call("chart", &json!({}));
    assert_eq!(chart["content"][0], json!({ "type": "text", "text": "one point" }));
    assert_eq!(
        (&chart["content"][1]["type"], &chart["content"][1]["mimeType"]),
        (&json!("image"), &json!("image/png"))
    );
    assert_eq!(chart["structuredContent"], json!({ "points": [1], "title": null }));
    assert_eq!(chart["isError"], false);

    let concluded = client.call("conclude", &json!({}));
    let own = json!({
        "io.github.pi-tools/usage": { "input": 3, "output": 4 },
        "io.github.pi-tools/terminate": true,
    });
    assert_eq!(concluded["_meta"], own);

    let failed = client.call("soft_failure", &json!({}));
    assert_eq!((text(&failed), &failed["isError"]), ("it did not work", &json!(true)));
    assert_eq!(failed["_meta"]["io.github.pi-tools/details"], json!({ "code": 7 }));
}

#[test]
fn a_call_that_cannot_be_is_told_why() {
    let mut client = Client::legacy(LAB, &[], &json!({}));
    let refused = client.call("look", &json!({}));
    assert_eq!(refused["isError"], true);
    assert!(text(&refused).starts_with("Validation failed for tool \"look\":\n  - place: missing\n"), "{refused}");

    let unknown = client.request("tools/call", json!({ "name": "lok" }));
    assert_eq!(unknown["error"]["code"], -32602);
    assert_eq!(unknown["error"]["message"], "there is no tool `lok`: did you mean `look`?");

    let misshapen = client.request("tools/call", json!({ "name": "look", "arguments": [] }));
    assert_eq!(misshapen["error"]["code"], -32602);
    let unknown = client.request("tools/cull", json!({}));
    assert_eq!(unknown["error"]["code"], -32601);
}

#[test]
fn a_tool_that_panics_or_prints_or_hangs_breaks_nothing() {
    let mut client = Client::legacy(LAB, &[], &json!({}));
    let panicked = client.call("panics", &json!({ "secret": "hush" }));
    assert_eq!(panicked["isError"], true);
    assert!(!panicked.to_string().contains("hush"), "{panicked}");
    assert_eq!(text(&client.call("chatter", &json!({ "text": "{}\nnoise" }))), "printed");

    let stubborn = client.start_call("stubborn", &json!({}));
    let blocking = client.start_call("stubborn_blocking", &json!({}));
    for id in [stubborn, blocking] {
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } }));
    }
    // The answer to what is cancelled would be against the protocol.
    let (_, before) = {
        let id = client.start_call("conclude", &json!({}));
        client.answer(id)
    };
    assert_eq!(before, [json!(null); 0]);
    assert!(client.is_silent(Duration::from_secs(1)));
}

#[test]
fn lines_that_are_no_messages_are_refused_and_forgotten() {
    let mut client = Client::start(LAB, &[]);
    client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/early" }));
    client.send_text("garbage");
    assert_eq!(client.receive()["error"]["code"], -32700);
    client.send_text("[]");
    assert_eq!(client.receive()["error"]["code"], -32600);
    client.send_text(r#"{"jsonrpc":"1.0","id":"x"}"#);
    let refused = client.receive();
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!("x"), &json!(-32600)));
    client.send(&initialize("2025-11-25", &json!({})));
    assert_eq!(client.receive()["id"], "initialize");
    client.send_text("\"again\"");
    assert_eq!(client.receive()["error"]["code"], -32600);
    assert_eq!(text(&client.call("conclude", &json!({}))), "done");
}

#[test]
fn progress_is_told_to_whoever_asked_for_it() {
    let mut client = Client::legacy(LAB, &[], &json!({}));
    let call = json!({ "name": "count", "arguments": { "then": "wait" }, "_meta": { "progressToken": "p-1" } });
    let id = client.ask("tools/call", call);
    let progress = client.receive();
    assert_eq!(progress["method"], "notifications/progress");
    assert_eq!(progress["params"], json!({ "progressToken": "p-1", "progress": 1.0, "message": "waiting" }));
    client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } }));

    client.start_call("count", &json!({ "then": "wait" }));
    assert!(client.is_silent(Duration::from_millis(300)));
}

#[test]
fn states_last_as_long_as_the_connection() {
    let mut client = Client::modern(LAB, &[], &json!({}));
    for number in 1..=3 {
        let counted = client.call("count", &json!({ "then": "succeed" }));
        assert_eq!(text(&counted), format!("counted to {number}"));
        assert_eq!(counted["_meta"]["io.github.pi-tools/details"]["count"], number);
    }
    // A file with all of a long output, too.
    let rambled = client.call("ramble", &json!({ "lines": 5000 }));
    let path = text(&rambled).rsplit_once("Full output: ").map(|(_, path)| path.trim_end_matches(']').to_owned());
    let path = path.unwrap_or_else(|| panic!("{}", &text(&rambled)[text(&rambled).len() - 300..]));
    assert!(std::fs::read_to_string(&path).unwrap().ends_with("line 5000\n"));
    assert_eq!(client.end(), Some(0));
    assert!(!std::path::Path::new(&path).exists());
}

#[test]
fn large_arguments_and_many_calls() {
    let mut client = Client::legacy(LAB, &[], &json!({}));
    let long = "x".repeat(10 << 20);
    let written = client.call("write", &json!({ "path": "a", "content": long }));
    assert_eq!(text(&written), format!("pretended to write {} bytes to a", long.len()));

    let ids: Vec<u32> =
        (0..1000).map(|line| client.start_call("look", &json!({ "place": { "line": line } }))).collect();
    let mut answers: Vec<_> = ids.iter().map(|_| client.receive()).collect();
    answers.sort_by_key(|answer| answer["id"].as_u64());
    for (line, (id, answer)) in ids.iter().zip(answers).enumerate() {
        assert_eq!(answer["id"], *id);
        assert_eq!(text(&answer["result"]), format!("line {line} of None"));
    }
}

#[test]
fn the_end_of_the_input_is_the_end() {
    // What was asked before is answered.
    let mut client = Client::start(LAB, &[]);
    client.send(&initialize("2025-11-25", &json!({})));
    client.send(&request(1, "tools/call", &json!({ "name": "conclude" })));
    client.input = None;
    assert_eq!(client.receive()["id"], "initialize");
    assert_eq!(client.receive()["id"], 1);
    let ended = Instant::now();
    assert_eq!(client.end(), Some(0));
    assert!(ended.elapsed() < Duration::from_millis(500), "{:?}", ended.elapsed());

    // What does not end by itself is not waited for, also when it keeps the thread.
    for (tool, limit) in [("stubborn", 1000), ("polite", 1000), ("stubborn_blocking", 1000), ("hog", 1500)] {
        let mut client = Client::legacy(LAB, &[], &json!({}));
        client.start_call(tool, &json!({}));
        std::thread::sleep(Duration::from_millis(300));
        let ended = Instant::now();
        assert_eq!(client.end(), Some(0));
        assert!(ended.elapsed() < Duration::from_millis(limit), "{tool}: {:?}", ended.elapsed());
    }
}

#[test]
fn tools_call_tools() {
    let mut client = Client::legacy(OUTSIDE, &["--policy", "deny=remove"], &json!({}));
    let call = |tool: &str, arguments| json!({ "tool": tool, "arguments": arguments });
    let delegated = client.call("delegate", &call("delegate", call("status", json!({ "text": "x" }))));
    assert_eq!(text(&delegated), "delegate said: status said: done");
    let blocked = client.call("delegate", &call("remove", json!({ "path": "a" })));
    assert!(text(&blocked).contains("blocked by the policy `deny=remove`"), "{blocked}");
    let unknown = client.call("delegate", &call("removed", json!({})));
    assert_eq!(text(&unknown), "there is no tool `removed`: did you mean `remove`?");
    assert_eq!(unknown["isError"], true);
    let deep = (0..20).fold(json!({}), |inner, _| call("delegate", inner));
    assert!(client.call("delegate", &deep).to_string().contains("16 calls are in each other already"));
    assert!(text(&client.call("surroundings", &json!({}))).contains("keeps no entries"));
}

#[test]
fn what_comes_before_the_first_request_ends_nothing() {
    for first in ["ping", "server/discover", "tools/list"] {
        let mut client = Client::start(LAB, &[]);
        client.send(&json!({ "jsonrpc": "2.0", "id": "early", "method": first }));
        client.send(&json!({
            "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": "early" },
        }));
        client.send(&json!({ "jsonrpc": "2.0", "id": 99, "result": {} }));
        client.send(&initialize("2025-11-25", &json!({})));
        let answer =
            std::iter::repeat_with(|| client.receive()).find(|answer| answer["result"]["serverInfo"].is_object());
        assert_eq!(answer.unwrap()["result"]["serverInfo"]["name"], "lab", "{first}");
    }
}

#[test]
fn an_id_that_waits_is_refused() {
    let mut client = Client::legacy(LAB, &[], &json!({}));
    let call =
        |name: &str| json!({ "jsonrpc": "2.0", "id": "same", "method": "tools/call", "params": { "name": name } });
    client.send(&call("stubborn"));
    client.send(&call("count"));
    let refused = client.receive();
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!("same"), &json!(-32600)), "{refused}");
}

#[test]
fn odd_json_has_an_answer_with_its_id() {
    let mut client = Client::legacy(LAB, &[], &json!({}));
    // Halves of surrogate pairs, beside whole ones and behind a backslash.
    for (written, read) in [
        (r"a\ud800b", "a\u{fffd}b"),
        (r"\udc00", "\u{fffd}"),
        (r"\ud83d\ude00\\ud83d\ud7ff", "\u{1f600}\\ud83d\u{d7ff}"),
    ] {
        let arguments = format!(r#"{{"place":{{"line":1}},"text":"{written}"}}"#);
        client.send_text(&format!(
            r#"{{"jsonrpc":"2.0","id":"odd","method":"tools/call","params":{{"name":"look","arguments":{arguments}}}}}"#
        ));
        let answer = client.receive();
        assert_eq!(text(&answer["result"]), format!("line 1 of {:?}", Some(read)), "{answer}");
    }
    let deep = format!("{}1{}", "[".repeat(300), "]".repeat(300));
    for number in ["1e999", &deep] {
        client.send_text(&format!(
            r#"{{"jsonrpc":"2.0","id":"odd","method":"tools/call","params":{{"name":"look","arguments":{{"text":{number}}}}}}}"#
        ));
        let answer = client.receive();
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!("odd"), &json!(-32700)), "{answer}");
    }
}

#[test]
fn a_signal_ends_the_children_too() {
    for (signal, status) in [("-HUP", 129), ("-INT", 130), ("-TERM", 143)] {
        let mut client = Client::legacy(LAB, &[], &json!({}));
        let folder = tempfile::tempdir().unwrap();
        let pid_file = folder.path().join("pid");
        let command = format!("echo $$ > {}; exec sleep 30", pid_file.display());
        client.start_call("shell", &json!({ "command": command }));
        let start = Instant::now();
        let pid = || std::fs::read_to_string(&pid_file).unwrap_or_default().trim().to_owned();
        let wait = |what: &dyn Fn() -> bool| {
            while !what() {
                assert!(start.elapsed() < Duration::from_secs(20));
                std::thread::sleep(Duration::from_millis(20));
            }
        };
        wait(&|| !pid().is_empty());
        let sent = std::process::Command::new("kill").args([signal, &client.process.id().to_string()]).status();
        assert!(sent.unwrap().success());
        assert_eq!(client.process.wait().unwrap().code(), Some(status));
        wait(&|| !std::path::Path::new(&format!("/proc/{}", pid())).exists());
    }
}

#[test]
fn the_last_line_needs_no_end() {
    let mut client = Client::start(LAB, &[]);
    let message = initialize("2025-11-25", &json!({})).to_string();
    std::io::Write::write_all(client.input.as_mut().unwrap(), message.as_bytes()).unwrap();
    client.input = None;
    assert_eq!(client.receive()["id"], "initialize");
    assert_eq!(client.end(), Some(0));
}
