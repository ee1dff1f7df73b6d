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
