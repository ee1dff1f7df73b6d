//! Session files: what is written, what is refused, and who waits for whom.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use pi_tools::prelude::*;
use pi_tools::{Host, SessionFile};
use pi_tools_tests::pi::read_json_lines;
use serde_json::{Value, json};
use std::sync::Arc;

const LAB: &str = env!("CARGO_BIN_EXE_lab");

const HEADER: &str = r#"{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w"}"#;

fn user(text: &str) -> Value {
    json!({ "role": "user", "content": text, "timestamp": 1 })
}

/// A call of the lab in this session: text, exit status, stderr.
fn call(session: &Path, tool: &str, arguments: &str) -> (String, Option<i32>, String) {
    let mut command = Command::new(LAB);
    let output =
        command.args(["call", tool, arguments, "--session"]).arg(session).stdin(Stdio::null()).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(output.stdout), output.status.code(), text(output.stderr))
}

#[test]
fn what_could_not_be_read_again_is_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("session.jsonl");
    let deep = |levels| (0..levels).fold(json!(1), |inner, _| json!([inner]));
    let details = |levels| ToolOutput::text("done").with_details(deep(levels));
    let mut file = SessionFile::open(&path, "/w").unwrap();
    file.append_message(user("go")).unwrap();
    // The line and the message are a level each.
    file.append_result("1", "dig", &details(125)).unwrap();
    let error = file.append_result("2", "dig", &details(126)).unwrap_err();
    assert!(error.to_string().contains("nested deeper than 127"), "{error}");
    file.append_result("2", "dig", &ToolOutput::text("done").with_usage(json!({ "input": 12 }))).unwrap();
    drop(file);
    let kept = SessionFile::open(&path, "/w").unwrap();
    assert_eq!(kept.branch().len(), 3);
    assert_eq!(kept.branch()[2]["message"]["usage"]["input"], 12);

    drop(kept);
    let arguments = format!(r#"{{"then":"succeed","more":{}}}"#, deep(123));
    let (_, status, told) = call(&path, "count", &arguments);
    assert_eq!(status, Some(1), "{told}");
    assert!(told.contains("nested deeper than 127"), "{told}");
    assert_eq!(call(&path, "count", r#"{"then":"succeed"}"#).0, "counted to 1\n");
}

#[test]
fn calls_of_one_session_share_their_state() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("session.jsonl");
    let count = |then: &str| call(&path, "count", &json!({ "then": then }).to_string());
    assert_eq!(count("succeed").0, "counted to 1\n");
    // A failure is written down, too, and changes nothing.
    assert_eq!(count("fail").1, Some(1));
    assert_eq!(count("panic").1, Some(1));
    assert_eq!(count("jump").1, Some(1));
    assert_eq!(count("succeed").0, "counted to 2\n");

    let lines = read_json_lines(&path);
    let (header, entries) = lines.split_first().unwrap();
    assert_eq!((&header["type"], &header["version"]), (&json!("session"), &json!(3)));
    assert_eq!(header["cwd"], std::env::current_dir().unwrap().to_str().unwrap());
    let roles: Vec<&str> = entries.iter().map(|entry| entry["message"]["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["user", "assistant", "toolResult"].repeat(5));
    let mut parent = &Value::Null;
    for entry in entries {
        assert_eq!(&entry["parentId"], parent);
        assert!(entry["timestamp"].as_str().unwrap().ends_with('Z'));
        parent = &entry["id"];
    }
    let results: Vec<&Value> = entries.iter().skip(2).step_by(3).map(|entry| &entry["message"]).collect();
    let details: Vec<&Value> = results.iter().map(|result| &result["details"]).collect();
    assert_eq!(details, [&json!({ "count": 1 }), &json!({}), &json!({}), &json!({}), &json!({ "count": 2 })]);
    assert_eq!(results[0]["toolCallId"], entries[1]["message"]["content"][0]["id"]);
    assert_eq!(entries[1]["message"]["content"][0]["arguments"], json!({ "then": "succeed" }));
    assert_ne!(results[0]["toolCallId"], results[1]["toolCallId"]);
    assert_eq!((&results[0]["isError"], &results[1]["isError"]), (&json!(false), &json!(true)));
}

#[test]
fn calls_at_the_same_time_wait_for_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("session.jsonl");
    let calls: Vec<_> = (0..5)
        .map(|_| {
            let mut command = Command::new(LAB);
            command.args(["call", "count", r#"{"then":"succeed"}"#, "--session"]).arg(&path);
            command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
        })
        .collect();
    for mut call in calls {
        assert!(call.wait().unwrap().success());
    }
    assert_eq!(call(&path, "count", r#"{"then":"succeed"}"#).0, "counted to 6\n");
    let file = SessionFile::open(&path, ".").unwrap();
    assert_eq!(file.branch().len(), file.entries().len());
}

/// The lab's tool appends before it fails: the entry stays, at its place in the branch.
#[test]
fn an_entry_of_a_tool_is_written_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("session.jsonl");
    assert_eq!(call(&path, "remember", r#"{"what":"tea"}"#).0, "remembered: tea\n");
    assert_eq!(call(&path, "remember", r#"{"what":""}"#).1, Some(1));
    assert_eq!(call(&path, "remember", r#"{"what":"milk"}"#).0, "remembered: tea, , milk\n");
    let entries = &read_json_lines(&path)[1..];
    let kinds: Vec<&str> = entries[..4].iter().map(|entry| entry["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["message", "message", "custom", "message"]);
    assert_eq!((&entries[2]["customType"], &entries[2]["data"]), (&json!("lab"), &json!("tea")));
    assert_eq!(entries[3]["parentId"], entries[2]["id"]);
    // Without a session it lasts as long as the call.
    let output = Command::new(LAB).args(["call", "remember", r#"{"what":"tea"}"#]).output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "remembered: tea\n");
}

#[test]
fn bad_lines_are_told_and_nothing_is_changed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("session.jsonl");
    let entry = r#"{"type":"custom","customType":"a","id":"e1","parentId":null,"timestamp":"t"}"#;
    for (content, line, problem) in [
        (format!("{HEADER}\n{entry}\n{{\"type\": oops}}\n{entry}\n"), 3, "not JSON: expected value at column 10"),
        // A blank line counts, and stops nobody.
        (format!("{HEADER}\n\n{entry}\n{{\"type\":\"cust"), 4, "not JSON: EOF while parsing a string at column 13"),
        (format!("{HEADER}\n[1]\n"), 2, "expected an object"),
        (format!("{HEADER}\n{{\"type\":\"custom\"}}\n"), 2, "no entry"),
        (format!("{entry}\n"), 1, "no session's header"),
        ("\n \n".to_owned(), 1, "no session's header"),
        ("notes\n".to_owned(), 1, "not JSON"),
        (r#"{"type":"session","id":"s","cwd":"/w"}"#.to_owned(), 1, "a session of version 1"),
        (r#"{"type":"session","version":4,"id":"s"}"#.to_owned(), 1, "version 4, which is not known here"),
    ] {
        fs::write(&path, &content).unwrap();
        let error = SessionFile::open(&path, ".").unwrap_err();
        assert_eq!(error.line(), Some(line), "{error}");
        let place = format!("{}, line {line}: ", path.display());
        let message = error.to_string();
        assert!(
            message.strip_prefix(&place).is_some_and(|rest| rest.starts_with(problem) || rest.contains(problem)),
            "{message}"
        );
        let (stdout, status, stderr) = call(&path, "count", r#"{"then":"succeed"}"#);
        assert_eq!((stdout.as_str(), status), ("", Some(2)));
        assert_eq!(stderr, format!("lab: {message}\n"));
        assert_eq!(fs::read_to_string(&path).unwrap(), content);
    }
    let error = SessionFile::open(folder.path(), ".").unwrap_err();
    assert_eq!(error.line(), None);
    assert!(error.to_string().starts_with(folder.path().to_str().unwrap()), "{error}");
}

#[test]
fn what_stands_in_a_file_stays_byte_by_byte() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("session.jsonl");
    // No final newline, CRLF, numbers and escapes that we would write otherwise, half a surrogate pair, version 2.
    let content = [
        r#"{"type": "session", "version": 2, "id": "s", "cwd": "/w"}"#,
        "\r\n",
        r#"{"type":"message","id":"e1","parentId":null,"message":{"role":"toolResult","isError":false,"details":{"count":4,"cut":"\ud83d \ud83d\ude00 \\ud83d","n":1.0e2}}}"#,
    ]
    .concat();
    fs::write(&path, &content).unwrap();
    assert_eq!(call(&path, "count", r#"{"then":"succeed"}"#).0, "counted to 5\n");
    let after = fs::read_to_string(&path).unwrap();
    let added = after.strip_prefix(&content).unwrap().strip_prefix('\n').unwrap();
    assert_eq!(added.lines().count(), 3);
    assert!(added.ends_with('\n') && !added.contains("\n\n"));
    let file = SessionFile::open(&path, ".").unwrap();
    assert_eq!(file.entries()[0]["message"]["details"]["cut"], "\u{fffd} 😀 \\ud83d");
    assert_eq!(file.branch().len(), 4);
}

#[test]
fn an_empty_file_is_a_new_session() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("session.jsonl");
    fs::write(&path, "").unwrap();
    let mut file = SessionFile::open(&path, "/w").unwrap();
    assert_eq!(file.leaf(), None);
    file.append_custom("a", None).unwrap();
    let lines = read_json_lines(&path);
    assert_eq!((lines.len(), &lines[0]["cwd"]), (2, &json!("/w")));
    // The layout of a UUID of version 7.
    let id = lines[0]["id"].as_str().unwrap();
    let parts: Vec<&str> = id.split('-').collect();
    assert_eq!(parts.iter().map(|part| part.len()).collect::<Vec<_>>(), [8, 4, 4, 4, 12]);
    assert!(parts[2].starts_with('7') && parts[3].starts_with(['8', '9', 'a', 'b']), "{id}");
}

#[test]
fn nothing_is_written_before_there_is_a_conversation() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("session.jsonl");
    let mut file = SessionFile::open(&path, ".").unwrap();
    let custom = file.append_custom("a", Some(json!(1))).unwrap();
    assert!(!path.exists());
    file.append_message(user("hi")).unwrap();
    let lines = read_json_lines(&path);
    assert_eq!((lines.len(), &lines[1]["id"], &lines[2]["parentId"]), (3, &json!(custom), &json!(custom)));
}

#[test]
fn what_others_append_comes_first() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("session.jsonl");
    fs::write(&path, format!("{HEADER}\n")).unwrap();
    let mut file = SessionFile::open(&path, ".").unwrap();
    let first = file.append_message(user("hi")).unwrap();
    // Pi holds no lock.
    let line = json!({ "type": "custom", "customType": "a", "id": "pis", "parentId": first, "timestamp": "t" });
    let append = |line: &Value| writeln!(fs::OpenOptions::new().append(true).open(&path).unwrap(), "{line}").unwrap();
    append(&line);
    let second = file.append_message(user("more")).unwrap();
    assert_eq!(
        file.branch().iter().map(|entry| entry["id"].as_str().unwrap()).collect::<Vec<_>>(),
        [&first, "pis", &second]
    );
    // Who has moved stays there.
    file.move_to(Some(&first)).unwrap();
    append(&json!({ "type": "custom", "customType": "a", "id": "again", "parentId": second, "timestamp": "t" }));
    file.append_custom("b", None).unwrap();
    assert_eq!(file.branch().len(), 2);
    file.move_to(None).unwrap();
    assert_eq!((file.branch().len(), file.leaf()), (0, None));
    assert!(file.move_to(Some("nobody")).unwrap_err().to_string().ends_with(": no entry `nobody`"));

    // Two that begin the same file: the entries of the second go behind those of the first.
    let path = folder.path().join("new.jsonl");
    let [mut one, mut other] = [(), ()].map(|()| SessionFile::open(&path, ".").unwrap());
    other.append_custom("a", None).unwrap();
    let hers = one.append_message(user("one")).unwrap();
    drop(one);
    other.append_message(user("other")).unwrap();
    assert_eq!(other.branch().len(), 3);
    assert_eq!(other.branch()[0]["id"], hers);
    assert_eq!(read_json_lines(&path).len(), 4);
}

#[test]
fn a_file_that_goes_in_circles_ends() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("session.jsonl");
    let entry = |id: &str, parent: &str| json!({ "type": "custom", "id": id, "parentId": parent });
    fs::write(&path, format!("{HEADER}\n{}\n{}\n", entry("a", "b"), entry("b", "a"))).unwrap();
    assert_eq!(SessionFile::open(&path, ".").unwrap().branch().len(), 2);
    fs::write(&path, format!("{HEADER}\n{}\n", entry("a", "gone"))).unwrap();
    assert_eq!(SessionFile::open(&path, ".").unwrap().branch().len(), 1);
}

#[test]
fn a_second_holder_waits() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("session.jsonl");
    let mut file = SessionFile::open(&path, ".").unwrap();
    file.append_message(user("hi")).unwrap();
    let (sender, opened) = mpsc::channel();
    let waiting = std::thread::spawn({
        let path = path.clone();
        move || sender.send(SessionFile::open(path, ".").unwrap().entries().len()).unwrap()
    });
    assert!(opened.recv_timeout(Duration::from_millis(200)).is_err());
    file.append_message(user("more")).unwrap();
    drop(file);
    assert_eq!(opened.recv_timeout(Duration::from_secs(10)), Ok(2));
    waiting.join().unwrap();
}

/// A host that cannot keep entries.
struct Full;

impl Host for Full {
    fn append_entry(&self, _: &str, _: &str, _: &Value) -> Result<(), ToolError> {
        Err(ToolError::new("no space left"))
    }
}

#[test]
fn an_entry_that_is_not_kept_is_not_there() {
    let cx = ToolContext::new();
    cx.append_entry("a", &1).unwrap();
    cx.append_entry("b", &2).unwrap();
    cx.append_entry("a", &Option::<u8>::None).unwrap();
    let cx = cx.with_host(Arc::new(Full));
    assert_eq!(cx.append_entry("a", &3).unwrap_err().message(), "no space left");
    assert_eq!(cx.session().entries("a"), [json!(1), json!(null)]);
    // The states of another branch come without its entries.
    cx.session().replace(serde_json::Map::new());
    assert!(cx.session().entries("a").is_empty());
}

/// Numbers as Pi would not give them back.
#[derive(Clone, Default, Serialize, Deserialize, SessionState)]
struct Odd {
    id: u64,
    share: f64,
    within: Option<Box<Odd>>,
}

/// Set a state that Pi may not be able to keep.
#[pi_tool(handle = SetOdd, register = false)]
fn set_odd(
    /// How.
    kind: String,
    odd: &mut Odd,
) -> String {
    match kind.as_str() {
        "wide" => odd.id = (1 << 53) + 1,
        "no number" => odd.share = f64::NAN,
        "deep" => *odd = (0..150).fold(Odd::default(), |odd, _| Odd { within: Some(Box::new(odd)), ..Odd::default() }),
        _ => odd.id += 1 << 52,
    }
    odd.id.to_string()
}

#[tokio::test]
async fn a_state_that_would_not_come_back_is_an_error_of_its_call() {
    let toolbox = Toolbox::builder().tool(SetOdd).build().unwrap();
    for (kind, problem) in
        [("wide", "9007199254740993 is beyond 2^53"), ("no number", "invalid type: null"), ("deep", "nested deeper")]
    {
        let output = toolbox.call("set_odd", json!({ "kind": kind })).await;
        let text = output.to_text();
        assert!(output.is_error() && text.contains("state `odd` cannot be stored") && text.contains(problem), "{text}");
    }
    assert_eq!(toolbox.call("set_odd", json!({ "kind": "small" })).await.to_text(), (1_u64 << 52).to_string());
}
