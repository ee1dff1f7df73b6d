//! What a tool asks of Pi: the user, the session, other tools, the queues of files.

use pi_tools_tests::pi::{self, Pi, tool_results};
use serde_json::{Value, json};

use super::{call, calls};

/// The bundle of tools that ask.
pub(super) const OUTSIDE: &str = env!("CARGO_BIN_EXE_outside");

/// Lets the model call a tool that asks, and answers as the user would.
fn answered(pi: &mut Pi, tool: &str, arguments: Value, method: &str, answer: Value) -> (Value, pi::ToolResult) {
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

#[test]
fn another_tool_is_called() {
    if pi::install().is_none() {
        return;
    }
    let mut pi = Pi::options().bundle(OUTSIDE).start();
    let result = call(
        &mut pi,
        "delegate",
        json!({ "tool": "bash", "arguments": { "command": "echo one; sleep 0.3; echo two" } }),
    );
    assert_eq!(result.text, "bash said: one\ntwo\n");
    let result = call(&mut pi, "surroundings", json!({}));
    assert_eq!(result.details["model"]["provider"], "scripted", "{}", result.details);
    assert_eq!(call(&mut pi, "keep", json!({ "what": "tea" })).text, "tea");
    assert_eq!(call(&mut pi, "keep", json!({ "what": "milk" })).text, "tea, milk");
    assert!(pi.quit().success());
}
