//! The options of the command.

use std::process::Command;

use serde_json::{Value, json};

use crate::client::{Client, FIXTURE, LAB, text};

fn run(arguments: &[&str]) -> (bool, String, String) {
    let output = Command::new(LAB).args(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.success(), text(output.stdout), text(output.stderr))
}

fn config(client: &str, options: &[&str]) -> String {
    let (success, config, problem) = run(&[&["mcp", "--print-config", client], options].concat());
    assert!(success, "{problem}");
    config
}

#[test]
fn a_client_that_is_configured_so_finds_the_tools() {
    let options = ["--policy", "deny=look yes", "--only", "look,views/", "--except", "erase", "--name=my lab"];
    let arguments =
        json!(["mcp"]).as_array().unwrap().iter().cloned().chain(options.map(Value::from)).collect::<Value>();
    let server = json!({ "command": LAB, "args": arguments });
    let parsed = |client| serde_json::from_str::<Value>(&config(client, &options)).unwrap();
    assert_eq!(parsed("claude-desktop"), json!({ "mcpServers": { "my lab": server } }));
    assert_eq!(parsed("cursor"), json!({ "mcpServers": { "my lab": server } }));
    let stdio = json!({ "type": "stdio", "command": LAB, "args": arguments });
    assert_eq!(parsed("vscode"), json!({ "servers": { "my lab": stdio } }));
    assert_eq!(
        config("codex", &options),
        format!("[mcp_servers.\"my lab\"]\ncommand = {}\nargs = {arguments}\n", json!(LAB))
    );

    // A shell makes the same words of the commands.
    for (client, command) in [("pi", "pi"), ("claude-code", "claude")] {
        let line = config(client, &options);
        let words = Command::new("sh").args(["-c", &format!("printf '%s\\n' {line}")]).output().unwrap();
        let words = String::from_utf8(words.stdout).unwrap();
        let expected = [&[command, "mcp", "add", "my lab", "--", LAB, "mcp"][..], &options[..]].concat();
        assert_eq!(words.lines().collect::<Vec<_>>(), expected);
    }
    assert!(config("cursor", &["--name=-lab"]).contains("\"--name=-lab\""));
    assert_eq!(config("pi", &[]), format!("pi mcp add lab -- {LAB} mcp\n"));

    let mut client = Client::legacy(LAB, &options, &json!({}));
    let tools = client.request("tools/list", json!({}))["result"]["tools"].take();
    assert_eq!(tools.as_array().unwrap().iter().map(|tool| &tool["name"]).collect::<Vec<_>>(), ["look"]);
    let blocked = client.call("look", &json!({ "place": { "line": 1 } }));
    assert!(text(&blocked).contains("blocked by the policy"), "{blocked}");
}

#[test]
fn options_that_name_nothing_are_mistakes() {
    for (options, problem) in [
        (["--only", "lok"], "did you mean `look`?"),
        (["--except", "nowhere/"], "no tool is in the namespace `nowhere/`"),
        (["--policy", "deny=lok"], "did you mean `look`?"),
        (["--only", "@fast"], "`@fast` is no annotation"),
        (["--print-config", "emacs"], "claude-desktop"),
        (["--name", ""], "--name"),
        (["--print-config=pi", "--no-auth"], "--no-auth"),
    ] {
        let (success, output, problems) = run(&[&["mcp"][..], &options].concat());
        assert!(!success && output.is_empty() && problems.contains(problem), "{problems}");
    }
}

#[test]
fn notices_are_logged() {
    let levels = |client: &mut Client| {
        let id = client.start_call("test_tool_with_logging", &json!({}));
        let (_, before) = client.answer(id);
        before.into_iter().map(|message| message["params"].clone()).collect::<Vec<_>>()
    };
    let mut client = Client::legacy(FIXTURE, &[], &json!({}));
    let told = levels(&mut client);
    assert_eq!(told.len(), 3);
    assert_eq!(told[0], json!({ "level": "info", "data": "Tool execution started" }));
    assert!(client.request("logging/setLevel", json!({ "level": "error" }))["error"].is_null());
    assert_eq!(levels(&mut client), [json!(null); 0]);

    let mut client = Client::modern(FIXTURE, &[], &json!({}));
    assert_eq!(levels(&mut client), [json!(null); 0], "nobody asked for them");
    let call = json!({ "name": "test_logging_tool", "_meta": { "io.modelcontextprotocol/logLevel": "info" } });
    let id = client.ask("tools/call", call);
    assert_eq!(client.answer(id).1[0]["params"]["data"], "a notice");
}
