//! `serve`, where nobody can answer, and how Pi is told what may run.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

/// What a bundle that serves answers to one call.
fn served(policies: &[&str], name: &str, params: &Value) -> Value {
    let mut bundle = Command::new(env!("CARGO_BIN_EXE_lab"))
        .arg("serve")
        .args(policies)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let call = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "callId": "c", "name": name, "params": params, "cwd": "/", "mode": "json", "hasUI": false },
    });
    let mut input = bundle.stdin.take().unwrap();
    writeln!(input, "{call}").unwrap();
    let mut line = String::new();
    BufReader::new(bundle.stdout.take().unwrap()).read_line(&mut line).unwrap();
    drop(input);
    bundle.wait().unwrap();
    serde_json::from_str::<Value>(&line).unwrap()["result"].take()
}

#[test]
fn without_a_user_nobody_is_asked() {
    let text = |result: &Value| result["content"][0]["text"].as_str().unwrap().to_owned();
    let erase = json!({ "paths": ["a"] });
    let result = served(&[], "erase", &erase);
    assert_eq!(result["isError"], true);
    let refusal = text(&result);
    assert!(refusal.starts_with("Tool execution was blocked: it needs the answer yes to \"Erase [\"a\"], 1 deep?\""));
    assert!(refusal.contains("`--policy yes`"), "{refusal}");

    assert_eq!(text(&served(&["--policy", "yes"], "erase", &erase)), "erased 1 files, 1 deep");
    let denied = served(&["--policy", "yes", "--policy", "deny=erase"], "erase", &erase);
    assert_eq!(text(&denied), "Tool execution was blocked by the policy `deny=erase`");
    assert_eq!(text(&served(&["--policy", "deny=erase"], "soft_failure", &json!({}))), "it did not work");
}

/// `pi run` hands its policies to `serve`, by the extension, and no other session gets them.
#[cfg(unix)]
#[test]
fn pi_run_passes_its_policies_on() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = tempfile::tempdir().unwrap();
    let pi = folder.path().join("pi");
    std::fs::write(&pi, "#!/bin/sh\necho \"$@\"\ngrep '^const SERVE' \"$2\"\n").unwrap();
    std::fs::set_permissions(&pi, std::fs::Permissions::from_mode(0o755)).unwrap();
    let run = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_lab"))
            .args(["pi", "run"])
            .args(arguments)
            .env("PATH", format!("{}:{}", folder.path().display(), std::env::var("PATH").unwrap()))
            .env("XDG_CACHE_HOME", folder.path())
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let (command, serve) = text.split_once('\n').unwrap();
        (command.to_owned(), serve.trim_end().to_owned())
    };
    let (plain, serve) = run(&["--", "--print", "x"]);
    assert!(plain.starts_with("--extension ") && plain.ends_with(" --print x"), "{plain}");
    assert_eq!(serve, r#"const SERVE: string[] = ["serve"];"#);
    let (narrow, serve) = run(&["--policy", "yes deny=erase", "--policy", "read-only", "--", "--print", "x"]);
    assert_eq!(serve, r#"const SERVE: string[] = ["serve","--policy","yes deny=erase","--policy","read-only"];"#);
    assert_ne!(plain, narrow);
}
