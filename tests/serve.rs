//! The wire, from the host's side, without Pi.

#[path = "serve/host.rs"]
mod host;

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// A bundle that serves, and the host's end of its pipes.
struct Bundle {
    process: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Bundle {
    fn start() -> Self {
        Self::of(env!("CARGO_BIN_EXE_lab"), Stdio::null())
    }

    fn of(bundle: &str, stderr: Stdio) -> Self {
        let mut process = Command::new(bundle)
            .arg("serve")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(stderr)
            .spawn()
            .unwrap();
        let input = process.stdin.take();
        let output = BufReader::new(process.stdout.take().unwrap());
        Self { process, input, output }
    }

    fn send(&mut self, message: &Value) {
        self.send_text(&message.to_string());
    }

    fn send_text(&mut self, line: &str) {
        writeln!(self.input.as_mut().unwrap(), "{line}").unwrap();
    }

    fn receive(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    fn start_call(&mut self, id: u32, name: &str, params: &Value) {
        self.send(&json!({
            "jsonrpc": "2.0", "id": id, "method": "tools/call",
            "params": {
                "callId": format!("call-{id}"), "name": name, "params": params,
                "cwd": "/tmp", "mode": "rpc", "hasUI": true,
            },
        }));
    }

    /// The answer to one call, and what came before it.
    fn answer(&mut self, id: u32) -> (Value, Vec<Value>) {
        let mut before = Vec::new();
        loop {
            let message = self.receive();
            if message["id"] == id {
                return (message, before);
            }
            before.push(message);
        }
    }

    fn call(&mut self, id: u32, name: &str, params: &Value) -> Value {
        self.start_call(id, name, params);
        self.answer(id).0["result"].take()
    }

    fn states(&mut self, states: &Value) {
        self.send(&json!({
            "jsonrpc": "2.0", "method": "session/state",
            "params": { "reason": "startup", "states": states, "entries": [] },
        }));
    }

    fn cancel(&mut self, id: u32) {
        self.send(&json!({ "jsonrpc": "2.0", "method": "$/cancel", "params": { "id": id } }));
    }

    /// Closes the bundle's input and waits for its end.
    fn close(&mut self) -> Duration {
        drop(self.input.take());
        let start = Instant::now();
        self.process.wait().unwrap();
        start.elapsed()
    }
}

impl Drop for Bundle {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap()
}

#[test]
fn initialize_and_shutdown() {
    let mut bundle = Bundle::start();
    bundle.send(&json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": { "protocolVersion": 1, "host": { "name": "test" }, "cwd": "/", "mode": "rpc", "hasUI": false },
    }));
    assert_eq!(bundle.receive(), json!({ "jsonrpc": "2.0", "id": 1, "result": { "protocolVersion": 1 } }));
    bundle.send(&json!({ "jsonrpc": "2.0", "id": 2, "method": "initialize", "params": { "protocolVersion": 99 } }));
    let error = bundle.receive();
    assert_eq!(error["error"]["code"], -32602, "{error}");
    // Whoever goes on after that gets to know why nothing works.
    bundle.send(&json!({
        "jsonrpc": "2.0", "id": 9, "method": "tools/call",
        "params": { "callId": "a", "name": "count", "params": {}, "hasUI": false, "mode": "rpc" },
    }));
    let message = bundle.receive()["error"]["message"].to_string();
    assert!(message.contains("has loaded 99; run `pi install`"), "{message}");
    bundle.send(&json!({ "jsonrpc": "2.0", "id": 3, "method": "shutdown" }));
    assert_eq!(bundle.receive(), json!({ "jsonrpc": "2.0", "id": 3, "result": null }));
    assert!(bundle.close() < Duration::from_secs(1));
}

#[test]
fn malformed_messages_are_answered_and_harm_nothing() {
    let mut bundle = Bundle::start();
    bundle.send_text("not json");
    assert_eq!(bundle.receive()["error"]["code"], -32700);
    for (line, id) in [
        ("[1, 2]", Value::Null),
        ("[7, \"shutdown\", null]", Value::Null),
        ("{\"id\": 3, \"method\": 5}", json!(3)),
        ("{\"id\": 4, \"method\": \"shutdown\", \"method\": \"shutdown\"}", json!(4)),
    ] {
        bundle.send_text(line);
        let answer = bundle.receive();
        assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(-32600), &id), "{line}: {answer}");
    }
    bundle.send(&json!({ "jsonrpc": "2.0", "id": "a", "method": "tools/forget" }));
    let error = bundle.receive();
    assert_eq!((&error["id"], &error["error"]["code"]), (&json!("a"), &json!(-32601)));
    bundle.send(&json!({ "jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": { "name": "count" } }));
    let error = bundle.receive();
    assert_eq!(error["error"]["code"], -32602);
    assert!(error["error"]["message"].as_str().unwrap().contains("callId"), "{error}");
    // Neither an answer, nor a notification that nobody knows, is answered.
    bundle.send(&json!({ "jsonrpc": "2.0", "id": "1", "result": null }));
    bundle.send(&json!({ "jsonrpc": "2.0", "method": "news" }));
    bundle.send_text("");
    assert_eq!(text(&bundle.call(6, "count", &json!({ "then": "succeed" }))), "counted to 1");
}

#[test]
fn results_carry_what_pi_reads() {
    let mut bundle = Bundle::start();
    let result = bundle.call(1, "whoami", &json!({}));
    assert_eq!(result["details"]["callId"], "call-1");
    assert_eq!(result["details"]["cwd"], "/tmp");
    assert_eq!(result["isError"], Value::Null);
    let result = bundle.call(2, "soft_failure", &json!({}));
    assert_eq!(
        result,
        json!({
            "content": [{ "type": "text", "text": "it did not work" }], "details": { "code": 7 }, "isError": true,
        })
    );
    let result = bundle.call(5, "conclude", &json!({}));
    assert_eq!((&result["terminate"], &result["usage"]), (&json!(true), &json!({ "input": 3, "output": 4 })));
    assert_eq!(text(&bundle.call(3, "greeting", &json!({ "name": "Ada" }))), "Good morning, Ada!");
    assert_eq!(
        text(&bundle.call(4, "nobody", &json!({}))),
        "Tool nobody not found: this executable has no such tool any more; /reload lets Pi read its tools again"
    );
}

#[test]
fn a_panic_is_an_error_without_its_payload() {
    let mut bundle = Bundle::start();
    let result = bundle.call(1, "panics", &json!({ "secret": "hunter2" }));
    assert_eq!(result["isError"], true);
    assert!(text(&result).contains("panics") && !text(&result).contains("hunter2"), "{result}");
    assert_eq!(text(&bundle.call(2, "count", &json!({ "then": "succeed" }))), "counted to 1");
}

#[test]
fn a_tool_that_prints_does_not_break_the_wire() {
    let mut bundle = Bundle::start();
    assert_eq!(text(&bundle.call(1, "chatter", &json!({ "text": "{\"id\":1}\nnonsense" }))), "printed");
    assert_eq!(text(&bundle.call(2, "count", &json!({ "then": "succeed" }))), "counted to 1");
}

#[test]
fn only_a_success_changes_the_state() {
    let mut bundle = Bundle::start();
    bundle.states(&json!({ "count": 3 }));
    let result = bundle.call(1, "count", &json!({ "then": "succeed" }));
    assert_eq!((text(&result), &result["details"]), ("counted to 4", &json!({ "count": 4 })));
    for (id, then) in [(2, "fail"), (3, "panic")] {
        let result = bundle.call(id, "count", &json!({ "then": then }));
        assert_eq!((&result["isError"], &result["details"]), (&json!(true), &Value::Null), "{result}");
    }
    bundle.start_call(4, "count", &json!({ "then": "wait" }));
    let update = bundle.receive();
    assert_eq!(update["method"], "tools/update");
    assert_eq!(update["params"]["callId"], "call-4");
    assert_eq!(update["params"]["details"], json!({ "so far": 5 }));
    bundle.cancel(4);
    assert_eq!(text(&bundle.answer(4).0["result"]), "stopped");
    assert_eq!(text(&bundle.call(5, "count", &json!({ "then": "succeed" }))), "counted to 5");
    // The host moved in the tree.
    bundle.states(&json!({}));
    assert_eq!(text(&bundle.call(6, "count", &json!({ "then": "succeed" }))), "counted to 1");
    // What cannot be read is an error, and is not lost.
    bundle.states(&json!({ "count": "many" }));
    let result = bundle.call(7, "count", &json!({ "then": "succeed" }));
    assert!(text(&result).contains("`count`") && result["isError"] == true, "{result}");
}

#[test]
fn an_alias_of_a_value_is_accepted() {
    let mut bundle = Bundle::start();
    assert_eq!(text(&bundle.call(1, "count", &json!({ "then": "return" }))), "counted to 1");
}

#[test]
fn cancellation_is_answered_soon() {
    let mut bundle = Bundle::start();
    bundle.start_call(1, "polite", &json!({}));
    assert_eq!(bundle.receive()["method"], "tools/update");
    let start = Instant::now();
    bundle.cancel(1);
    assert_eq!(text(&bundle.answer(1).0["result"]), "stopped politely");
    assert!(start.elapsed() < Duration::from_millis(500), "{:?}", start.elapsed());

    for (id, name) in [(2, "stubborn"), (3, "stubborn_blocking")] {
        bundle.start_call(id, name, &json!({}));
        // Others go on beside it.
        assert_eq!(text(&bundle.call(id + 10, "count", &json!({ "then": "fail" }))), "failed on purpose");
        let start = Instant::now();
        bundle.cancel(id);
        bundle.cancel(id);
        let (answer, _) = bundle.answer(id);
        assert_eq!(text(&answer["result"]), "Operation aborted");
        assert_eq!(answer["result"]["isError"], true);
        assert!(start.elapsed() < Duration::from_millis(1500), "{name}: {:?}", start.elapsed());
    }
    bundle.cancel(99);
    assert_eq!(text(&bundle.call(4, "count", &json!({ "then": "succeed" }))), "counted to 1");
}

#[test]
fn an_id_is_for_one_call_at_a_time() {
    let mut bundle = Bundle::start();
    bundle.start_call(1, "polite", &json!({}));
    assert_eq!(bundle.receive()["method"], "tools/update");
    bundle.start_call(1, "whoami", &json!({}));
    assert_eq!(bundle.receive()["error"]["code"], -32600);
    bundle.cancel(1);
    assert_eq!(text(&bundle.answer(1).0["result"]), "stopped politely");
    // Nobody would get the answer.
    bundle.send(&json!({
        "jsonrpc": "2.0", "method": "tools/call", "params": { "callId": "", "name": "crash", "params": {} },
    }));
    assert_eq!(text(&bundle.call(1, "count", &json!({ "then": "succeed" }))), "counted to 1");
}

#[test]
fn a_call_that_is_cancelled_before_it_starts_does_nothing() {
    let mut bundle = Bundle::start();
    let call = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "callId": "1", "name": "count", "params": { "then": "succeed" } },
    });
    let cancel = json!({ "jsonrpc": "2.0", "method": "$/cancel", "params": { "id": 1 } });
    // In one write, so that both are read before the call runs.
    bundle.send_text(&format!("{call}\n{cancel}"));
    assert_eq!(text(&bundle.answer(1).0["result"]), "Operation aborted");
    assert_eq!(text(&bundle.call(2, "count", &json!({ "then": "succeed" }))), "counted to 1");
}

#[test]
fn no_orphan_stays_when_the_host_is_gone() {
    for name in ["stubborn", "stubborn_blocking", "hog"] {
        let mut bundle = Bundle::start();
        bundle.start_call(1, name, &json!({}));
        // So that the call has begun.
        std::thread::sleep(Duration::from_millis(100));
        let waited = bundle.close();
        assert!(waited < Duration::from_secs(3), "{name}: {waited:?}");
    }
}

#[test]
fn many_calls_at_once_are_all_answered() {
    let mut bundle = Bundle::start();
    for id in 0..200 {
        bundle.start_call(id, if id % 2 == 0 { "soft_failure" } else { "whoami" }, &json!({}));
    }
    let mut answered: Vec<u64> = (0..200).map(|_| bundle.receive()["id"].as_u64().unwrap()).collect();
    answered.sort_unstable();
    assert_eq!(answered, (0..200).collect::<Vec<_>>());
}

#[test]
fn a_host_that_reads_late_gets_everything_in_order() {
    let mut bundle = Bundle::start();
    let text_of_1_mb = "é".repeat(500_000);
    for id in 0..20 {
        bundle.start_call(id, "greeting", &json!({ "name": text_of_1_mb }));
    }
    std::thread::sleep(Duration::from_millis(300));
    for _ in 0..20 {
        let answer = bundle.receive();
        assert_eq!(text(&answer["result"]).len(), "Good morning, !".len() + 1_000_000);
    }
}

/// A host that sends and sends, and reads nothing, must wait itself.
#[test]
#[cfg(target_os = "linux")]
fn who_does_not_read_is_not_read_from() {
    const CALLS: u32 = 60;

    let mut bundle = Bundle::start();
    let mut input = bundle.input.take().unwrap();
    let name = "x".repeat(1_000_000);
    let writer = std::thread::spawn(move || {
        for id in 0..CALLS {
            let params = json!({ "callId": "", "name": "greeting", "params": { "name": name } });
            let call = json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params });
            writeln!(input, "{call}").unwrap();
        }
        input
    });
    let memory = |field: &str| -> u32 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", bundle.process.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix(field)).unwrap();
        line.trim_matches([':', '\t', ' ', 'k', 'B']).parse().unwrap()
    };
    // It stops by itself, well before it has all.
    let mut before = 0;
    while before < 20_000 || before != memory("VmRSS") {
        before = memory("VmRSS");
        std::thread::sleep(Duration::from_millis(300));
    }
    let peak = memory("VmHWM");
    assert!(peak < 60_000 && !writer.is_finished(), "{peak} KB");
    for id in 0..CALLS {
        assert_eq!(bundle.receive()["id"], id);
    }
    bundle.input = Some(writer.join().unwrap());
    assert_eq!(text(&bundle.call(CALLS, "count", &json!({ "then": "succeed" }))), "counted to 1");
}

#[test]
fn a_file_as_input_is_served_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("input");
    let call = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "callId": "1", "name": "count", "params": { "then": "succeed" } },
    });
    std::fs::write(&path, format!("{call}\n")).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_lab"))
        .arg("serve")
        .stdin(std::fs::File::open(path).unwrap())
        .output()
        .unwrap();
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(text(&answer["result"]), "counted to 1");
}

#[test]
fn the_manifest_is_what_pi_registers() {
    let output = Command::new(env!("CARGO_BIN_EXE_lab")).arg("manifest").output().unwrap();
    let manifest: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&manifest["protocolVersion"], &manifest["name"]), (&json!(1), &json!("lab")));
    let tools = manifest["tools"].as_array().unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert!(names.is_sorted(), "{names:?}");
    let count = tools.iter().find(|tool| tool["name"] == "count").unwrap();
    assert_eq!(
        count,
        &json!({
            "name": "count",
            "label": "Count",
            "description": "Count one up, and then do something else.",
            "parameters": {
                "type": "object",
                "properties": {
                    "then": {
                        "type": "string",
                        "enum": ["succeed", "fail", "panic", "wait"],
                        "description": "What to do then.\nsucceed: Return.\nfail: Return an error.\npanic: Panic.\nwait: Wait until cancelled.",
                    },
                },
                "required": ["then"],
                "additionalProperties": false,
            },
            "executionMode": "sequential",
            "constrainedSampling": { "type": "json_schema", "strict": "prefer" },
            "enforced": {
                "type": "object",
                "properties": {
                    "then": {
                        "type": "string",
                        "enum": ["succeed", "fail", "panic", "wait"],
                        "x-pi-tools-aliases": { "return": "succeed" },
                    },
                },
                "required": ["then"],
                "additionalProperties": false,
            },
            "state": ["count"],
            "prepare": { "values": [{ "property": "then", "from": "return", "to": "succeed" }] },
        })
    );
}

/// The command that the extension runs: an answer whatever happens, and nothing else on standard output.
#[test]
fn arguments_are_prepared_for_the_host() {
    let prepare = |arguments: &str| {
        let mut process = Command::new(env!("CARGO_BIN_EXE_defined"))
            .args(["prepare", "say"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        process.stdin.take().unwrap().write_all(arguments.as_bytes()).unwrap();
        let output = process.wait_with_output().unwrap();
        assert!(output.status.success() && output.stderr.starts_with(b"wrapping\n"), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(prepare(r#"{"text":"hi"}"#), r#"{"arguments":{"parts":["<hi>"],"loud":"very"}}"#);
    assert_eq!(prepare(r#"{"b":1,"parts":[],"a":2}"#), r#"{"arguments":{"b":1,"parts":["!"],"a":2}}"#);
    assert_eq!(prepare(r#"{"text":"refuse"}"#), r#"{"error":"text: say something else"}"#);
    let panicked =
        "Tool \"say\" failed: what prepares its arguments panicked. This is a fault of the tool, not of the call";
    assert_eq!(prepare(r#"{"text":"panic"}"#), json!({ "error": panicked }).to_string());
    let help = Command::new(env!("CARGO_BIN_EXE_defined")).arg("--help").output().unwrap();
    assert!(!String::from_utf8_lossy(&help.stdout).contains("prepare"));
}
