//! Who may call over HTTP, and what lasts how long there.

use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::client::{HttpServer, LAB, initialize, request, text};

#[test]
fn whoever_has_the_token_may_call() {
    let server = HttpServer::start(LAB, &[], Some("open sesame"));
    assert!(!server.access.as_ref().unwrap().contains("sesame"));
    let message = initialize("2025-11-25", &json!({}));
    let status = |headers: &[(&str, &str)]| server.post(headers, &message).status;
    assert_eq!(status(&[("Authorization", "Bearer open sesame")]), 200);
    let trimmed = HttpServer::start(LAB, &[], Some(" open sesame\n"));
    assert_eq!(trimmed.post(&[("Authorization", "Bearer open sesame")], &message).status, 200);
    assert_eq!(status(&[("authorization", "bearer open sesame")]), 200);
    for wrong in ["Bearer open sesam", "Bearer open sesamf", "Bearer open sesame!", "Bearer", "Basic open sesame", ""] {
        assert_eq!(status(&[("Authorization", wrong)]), 401, "{wrong}");
    }
    let refused = server.post(&[], &message);
    assert_eq!((refused.status, refused.header("www-authenticate").as_deref()), (401, Some("Bearer")));

    // Without one in the environment, each server has another.
    let servers = [HttpServer::start(LAB, &[], None), HttpServer::start(LAB, &[], None)];
    let tokens = servers.each_ref().map(|server| server.access.clone().unwrap());
    assert_ne!(tokens[0], tokens[1]);
    let token = tokens[0].strip_prefix("Authorization: ").unwrap();
    assert_eq!(servers[0].post(&[("Authorization", token)], &message).status, 200);
    assert_eq!(servers[1].post(&[("Authorization", token)], &message).status, 401);
}

#[test]
fn pages_of_other_machines_may_not_call() {
    let server = HttpServer::start(LAB, &["--no-auth"], None);
    let message = initialize("2025-11-25", &json!({}));
    let status = |name: &str, value: &str| server.post(&[(name, value)], &message).status;
    for origin in ["http://evil.example", "null", "http://127.0.0.1.evil.example"] {
        assert_eq!(status("Origin", origin), 403, "{origin}");
    }
    assert_eq!(status("Origin", "http://localhost:5173"), 200);
    assert_eq!(status("Host", "evil.example"), 403);
    assert_eq!(status("Host", "localhost:1"), 200);
    let local = ("Origin", "http://localhost:5173");
    assert_eq!(server.post(&[local, ("Origin", "http://evil.example")], &message).status, 400);
    assert_eq!(server.post(&[("Host", "localhost:1"), ("Host", "evil.example")], &message).status, 400);

    assert_eq!(server.send("POST", "/", &[], &message.to_string()).status, 404);
    assert_eq!(server.send("OPTIONS", "/mcp", &[], "").status, 405);
    let long = "x".repeat(33 << 20);
    assert_eq!(server.post(&[], &json!(long)).status, 413);
}

#[test]
fn an_address_that_others_reach_needs_a_token() {
    let refused = |options: &[&str], token: Option<&str>| {
        let mut command = Command::new(LAB);
        command.arg("mcp").args(options);
        match token {
            Some(token) => command.env("PI_TOOLS_MCP_TOKEN", token),
            None => command.env_remove("PI_TOOLS_MCP_TOKEN"),
        };
        let output = command.output().unwrap();
        assert!(!output.status.success());
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(!told.contains("http://"), "{told}");
        told
    };
    assert!(refused(&["--http", "0.0.0.0:0", "--no-auth"], None).contains("so it needs a token"));
    assert!(refused(&["--http", "127.0.0.1:0"], Some("")).contains("the token is empty"));
    assert!(refused(&["--http", "127.0.0.1:0"], Some(" \n")).contains("the token is empty"));
    assert!(refused(&["--http", "127.0.0.1:0"], Some("schlüssel")).contains("not visible ASCII"));
    assert!(refused(&["--http", "nowhere"], None).contains("cannot serve at nowhere: "));
    assert!(refused(&["--no-auth"], None).contains("--http"));
}

#[test]
fn a_legacy_client_has_a_session_and_the_others_share_one() {
    let server = HttpServer::start(LAB, &["--no-auth"], None);
    let (one, other) = (server.session(&json!({})), server.session(&json!({})));
    let then = json!({ "then": "succeed" });
    assert_eq!(text(&server.call(&one, "count", &then)), "counted to 1");
    assert_eq!(text(&server.call(&one, "count", &then)), "counted to 2");
    assert_eq!(text(&server.call(&other, "count", &then)), "counted to 1");
    for number in 1..=2 {
        let call = json!({ "name": "count", "arguments": then });
        assert_eq!(text(&server.modern("tools/call", call, &json!({})).result()), format!("counted to {number}"));
    }
    let unknown = server.post(&[("Mcp-Session-Id", "made up")], &request(1, "tools/list", &json!({})));
    assert_eq!(unknown.status, 404);
}

#[test]
fn progress_comes_before_the_result() {
    let server = HttpServer::start(crate::client::FIXTURE, &["--no-auth"], None);
    let session = server.session(&json!({}));
    let call = json!({ "name": "test_tool_with_progress", "_meta": { "progressToken": 7 } });
    let answer = server.post(&[("Mcp-Session-Id", &session)], &request(1, "tools/call", &call));
    let messages = answer.messages();
    let told: Vec<_> = messages.iter().filter_map(|message| message["params"]["message"].as_str()).collect();
    assert_eq!(told, ["0 of 100", "50 of 100", "100 of 100"]);
    assert_eq!(text(&messages.last().unwrap()["result"]), "done");
}

#[test]
fn a_modern_client_that_goes_away_cancels_its_call() {
    let server = HttpServer::start(LAB, &["--no-auth"], None);
    let folder = tempfile::tempdir().unwrap();
    let ended = folder.path().join("ended");
    // The shell is killed with its call, so it never gets there.
    let command = format!("echo $$ > {0}.pid; sleep 30; touch {0}", ended.display());
    let mut params = json!({ "name": "shell", "arguments": { "command": command } });
    params["_meta"] = crate::client::meta(&json!({}));
    let headers =
        [("MCP-Protocol-Version", crate::client::MODERN), ("Mcp-Method", "tools/call"), ("Mcp-Name", "shell")];
    let stream = server.open("POST", "/mcp", &headers, &request(1, "tools/call", &params).to_string());
    let pid_file = ended.with_extension("pid");
    let until = |what: &dyn Fn() -> bool| {
        let start = Instant::now();
        while !what() {
            assert!(start.elapsed() < Duration::from_secs(20));
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    let pid = || std::fs::read_to_string(&pid_file).unwrap_or_default().trim().to_owned();
    until(&|| !pid().is_empty());
    drop(stream);
    until(&|| !std::path::Path::new(&format!("/proc/{}", pid())).exists());
    assert!(!ended.exists());
}

#[test]
fn a_signal_ends_a_server_whose_tool_keeps_the_thread() {
    for signal in ["-INT", "-TERM"] {
        let server = HttpServer::start(LAB, &["--no-auth"], None);
        let session = server.session(&json!({}));
        let parent = server.call(&session, "shell", &json!({ "command": "echo $PPID" }));
        let call = request(1, "tools/call", &json!({ "name": "hog", "arguments": {} }));
        let mut stream = server.open("POST", "/mcp", &[("Mcp-Session-Id", &session)], &call.to_string());
        std::thread::sleep(Duration::from_millis(300));
        assert!(Command::new("kill").args([signal, text(&parent).trim()]).status().unwrap().success());
        let start = Instant::now();
        let _ = std::io::Read::read_to_end(&mut stream, &mut Vec::new());
        assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
    }
}
