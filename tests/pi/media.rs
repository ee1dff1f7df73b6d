//! Sound and resources, of which Pi has neither.

use pi_tools_tests::pi::{self, Pi, tool_results};
use serde_json::{Value, json};

use super::{call, calls};

/// The bundle whose tools return all kinds of content.
const FIXTURE: &str = env!("CARGO_BIN_EXE_mcp_fixture");

#[test]
fn a_text_stands_for_sound_and_for_a_resource() {
    if pi::install().is_none() {
        return;
    }
    let mut pi = Pi::options().bundle(FIXTURE).start();
    assert_eq!(call(&mut pi, "test_audio_content", json!({})).text, "[audio/wav, 44 bytes]");
    let events = pi.prompt("go", json!([calls(&[("test_multiple_content_types", json!({}))])]));
    let expected = "Multiple content types test:\ntest://mixed-content-resource\n{\"test\":\"data\",\"value\":123}";
    assert_eq!(tool_results(&events)[0].text, expected);
    // The image is what it was.
    let ended = events.iter().find(|event| event["type"] == "message_end" && event["message"]["role"] == "toolResult");
    let kinds: Vec<&Value> =
        ended.unwrap()["message"]["content"].as_array().unwrap().iter().map(|block| &block["type"]).collect();
    assert_eq!(kinds, ["text", "image", "text"]);
    assert!(pi.quit().success());
}
