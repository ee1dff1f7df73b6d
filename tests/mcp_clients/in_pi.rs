//! Pi's own client, told of the bundle as its users do it.

use std::path::Path;
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use pi_tools_tests::mcp::Http;
use pi_tools_tests::pi::{self, Pi, ToolResult, tool_results};
use serde_json::{Value, json};

use super::LAB;

#[test]
fn stdio() {
    check(&["--", LAB, "mcp"]);
}

#[test]
fn http() {
    let server = Http::start(LAB, "s3cret");
    check(&["--url", &server.url, "--header", "Authorization=Bearer s3cret"]);
}

fn check(server: &[&str]) {
    let Some(programs) = pi::install() else { return };
    let home = tempfile::tempdir().unwrap();
    let agent = home.path().join("agent");
    let mcp = |arguments: &[&str]| {
        let path = std::env::join_paths([programs, Path::new("/usr/bin"), Path::new("/bin")]).unwrap();
        let mut command = Command::new(programs.join("pi"));
        command.arg("mcp").args(arguments).env("PATH", path).env("HOME", home.path()).current_dir(home.path());
        let output = command.env("PI_CODING_AGENT_DIR", &agent).env("PI_OFFLINE", "1").output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{arguments:?}: {said}{}", String::from_utf8_lossy(&output.stderr));
        said
    };
    mcp(&[&["add", "lab", "--exposure", "direct"], server].concat());
    let listed: Value = serde_json::from_str(&mcp(&["list", "--json"])).unwrap();
    let server = &listed["servers"][0];
    let tools = server["tools"].as_array().unwrap();
    assert!(server["state"] == "connected" && tools.contains(&json!("greeting")), "{listed}");

    let mut pi = Pi::options().env("PI_CODING_AGENT_DIR", &agent).start();
    let result = call(&mut pi, "greeting", &json!({ "name": "Ada" }));
    assert_eq!((result.text.as_str(), result.is_error), ("Good morning, Ada!", false));
    // What the model was told.
    let tools = pi.recorded()[0]["tools"].clone();
    let tools = tools.as_array().unwrap();
    let tool = |name: &str| tools.iter().find(|tool| tool["name"] == format!("mcp__lab__{name}")).unwrap();
    assert_eq!(tool("erase")["description"], "Pretend to erase files, once the user agrees.");
    assert_eq!(tool("greeting")["parameters"]["required"], json!(["name"]));

    let result = call(&mut pi, "soft_failure", &json!({}));
    assert_eq!((result.text.as_str(), result.is_error), ("it did not work", true));
    let result = call(&mut pi, "panics", &json!({ "secret": "hunter2" }));
    assert!(result.is_error && result.text.contains("panicked") && !result.text.contains("hunter2"), "{result:?}");
    // Pi has no forms for those who ask by this protocol.
    let result = call(&mut pi, "erase", &json!({ "paths": ["a"] }));
    assert!(result.is_error && result.text.contains("Erase"), "{result:?}");

    let command = json!({ "command": "for n in 1 2 3; do echo $n; sleep 0.2; done" });
    let events = pi.prompt("go", json!([step("shell", &command)]));
    let updates: Vec<&Value> = events.iter().filter(|event| event["type"] == "tool_execution_update").collect();
    assert!(updates.iter().any(|update| update.to_string().contains("1\\n2")), "{updates:?}");
    assert_eq!(tool_results(&events)[0].text.trim_end(), "1\n2\n3");

    // An aborted call ends with its processes.
    let file = home.path().join("pid");
    let path = file.to_str().unwrap();
    let command = format!("echo $$ > {path}.new; mv {path}.new {path}; exec sleep 100");
    pi.start_prompt("go", json!([step("shell", &json!({ "command": command }))]));
    within(Duration::from_secs(20), "the command runs", || file.exists());
    let pid = std::fs::read_to_string(&file).unwrap();
    pi.abort();
    let results = tool_results(&pi.wait_settled());
    assert!(results[0].is_error, "{results:?}");
    let process = format!("/proc/{}", pid.trim());
    within(Duration::from_secs(10), "the command ends", || !Path::new(&process).exists());

    let result = call(&mut pi, "greeting", &json!({ "name": "Grace" }));
    assert_eq!((result.text.as_str(), result.is_error), ("Good morning, Grace!", false));
    assert!(pi.quit().success());
}

/// One step of the model: this call.
fn step(tool: &str, arguments: &Value) -> Value {
    json!({ "calls": [{ "name": format!("mcp__lab__{tool}"), "arguments": arguments }] })
}

fn call(pi: &mut Pi, tool: &str, arguments: &Value) -> ToolResult {
    let events = pi.prompt("go", json!([step(tool, arguments)]));
    tool_results(&events).remove(0)
}

fn within(limit: Duration, what: &str, condition: impl Fn() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < limit, "not within {limit:?}: {what}");
        sleep(Duration::from_millis(10));
    }
}
