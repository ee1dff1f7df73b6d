//! Files that several processes change.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::client::{Client, OUTSIDE, text};

#[test]
fn no_change_of_another_process_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lines");
    std::fs::write(&path, "").unwrap();
    // The second name of the file is a link in another folder.
    let link = folder.path().join("link");
    std::os::unix::fs::symlink(&path, &link).unwrap();
    let mut clients = [Client::legacy(OUTSIDE, &[], &json!({})), Client::modern(OUTSIDE, &[], &json!({}))];
    let ids: Vec<Vec<u32>> = clients
        .iter_mut()
        .zip([&path, &link])
        .enumerate()
        .map(|(number, (client, path))| {
            let call = |line| json!({ "path": path, "line": format!("{number}-{line}"), "takes": 10 });
            (0..10).map(|line| client.start_call("append", &call(line))).collect()
        })
        .collect();
    let call = json!({ "path": path, "line": "command-line", "takes": 10 });
    let status = Command::new(OUTSIDE).args(["call", "append", &call.to_string()]).stdout(Stdio::null()).status();
    assert!(status.unwrap().success());
    for (client, ids) in clients.iter().zip(ids) {
        for _ in ids {
            let answer = client.receive();
            assert_eq!(text(&answer["result"]), "appended", "{answer}");
        }
    }
    let written = std::fs::read_to_string(&path).unwrap();
    assert_eq!(written.lines().count(), 21, "{written}");
    let names: Vec<_> = folder.path().read_dir().unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names.len(), 2, "only the file and the link are there: {names:?}");
}

#[test]
fn a_lock_ends_with_its_call_and_with_its_process() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lines");
    let call = |line: &str, takes| json!({ "path": path, "line": line, "takes": takes });
    let mut one = Client::legacy(OUTSIDE, &[], &json!({}));
    let mut other = Client::legacy(OUTSIDE, &[], &json!({}));
    one.start_call("append", &call("killed", 600_000));
    std::thread::sleep(Duration::from_millis(300));

    let waiting = other.start_call("append", &call("cancelled", 0));
    assert!(other.is_silent(Duration::from_millis(300)), "the file is the other's");
    other.send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": waiting } }));

    let id = other.start_call("append", &call("last", 0));
    one.process.kill().unwrap();
    let start = Instant::now();
    assert_eq!(text(&other.answer(id).0["result"]), "appended");
    assert!(start.elapsed() < Duration::from_secs(5));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "last\n");
}
