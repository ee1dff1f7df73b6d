//! Images and data on the command line, and in the manifest.

use std::process::Command;

use serde_json::{Value, json};

fn lab(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_lab")).args(arguments).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_person_reads_of_an_image() {
    assert_eq!(lab(&["call", "chart", "{}"]), "one point\n[image/png]\n");
    let output: Value = serde_json::from_str(&lab(&["call", "chart", "{}", "--json"])).unwrap();
    assert_eq!(output["structuredContent"], json!({ "points": [1], "title": null }));
    assert!(output["content"][1]["data"].as_str().unwrap().starts_with("iVBORw0KGgo"));
}

#[test]
fn a_person_reads_of_sound_and_of_a_resource() {
    let call = |tool| {
        let output = Command::new(env!("CARGO_BIN_EXE_mcp_fixture")).args(["call", tool, "{}"]).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(call("test_audio_content"), "[audio/wav, 44 bytes]\n");
    let resource = "test://embedded-resource\nThis is an embedded resource content.\n";
    assert_eq!(call("test_embedded_resource"), resource);
}

#[test]
fn how_pi_draws_a_tool_is_shown() {
    let show = |tool| {
        let output = Command::new(env!("CARGO_BIN_EXE_drawn")).args(["show", tool]).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let log = show("log");
    assert!(log.contains("\n\nResult, as Pi draws it, 2 lines until it is expanded: {text}\n\n"), "{log}");
    assert!(!log.contains("Call, as Pi draws it"), "{log}");
    assert!(show("count").contains("\n\nCall, as Pi draws it: {{count}}\n\n"));
}

#[test]
fn the_schema_of_the_data_is_shown_and_published() {
    let manifest: Value = serde_json::from_str(&lab(&["manifest"])).unwrap();
    let tools = manifest["tools"].as_array().unwrap();
    let tool = |name: &str| tools.iter().find(|tool| tool["name"] == name).unwrap();
    let schema = &tool("chart")["outputSchema"];
    assert_eq!(schema["properties"]["title"]["type"], json!(["string", "null"]));
    assert!(tool("whoami").get("outputSchema").is_none());

    assert!(lab(&["show", "chart"]).contains(&format!("\nStructured content:\n{schema:#}\n")));
    assert!(!lab(&["show", "whoami"]).contains("Structured content"));
}
