//! Sound and resources: their form, and what stands for them where there are only texts and images.

use pi_tools::prelude::*;
use pi_tools::testing::expect;
use pi_tools::{Audio, Content, Resource, SessionFile, ToolResult};
use serde_json::json;

const FLAC: &[u8] = b"fLaC\0\0\0\x22";

fn recording() -> ToolOutput {
    ToolOutput::text("The call:")
        .with_audio(Audio::from_bytes(FLAC).unwrap())
        .with_resource(Resource::from_text("file:///notes.md", "# Notes").with_mime_type("text/markdown"))
        .with_resource(Resource::from_bytes("file:///a.bin", [1, 2]))
        .with_resource(Resource::from_bytes("file:///a.pdf", b"%PDF").with_mime_type("application/pdf"))
}

#[test]
fn they_are_blocks_as_mcp_has_them() {
    let output = recording();
    let expected = json!({
        "content": [
            { "type": "text", "text": "The call:" },
            { "type": "audio", "data": "ZkxhQwAAACI=", "mimeType": "audio/flac" },
            {
                "type": "resource",
                "resource": { "uri": "file:///notes.md", "mimeType": "text/markdown", "text": "# Notes" },
            },
            { "type": "resource", "resource": { "uri": "file:///a.bin", "blob": "AQI=" } },
            {
                "type": "resource",
                "resource": { "uri": "file:///a.pdf", "mimeType": "application/pdf", "blob": "JVBERg==" },
            },
        ],
    });
    assert_eq!(json!(output), expected);
    assert_eq!(serde_json::from_value::<ToolOutput>(expected).unwrap(), output);
    assert_eq!(output.to_text(), "The call:\n# Notes");
    // A message about it is not a page of base64.
    let told = format!("{output:?}");
    assert!(!told.contains("ZkxhQ") && !told.contains("JVBER") && told.contains("# Notes"), "{told}");
}

#[test]
fn a_message_of_pi_has_texts_for_them() {
    let texts = [
        "The call:",
        "[audio/flac, 8 bytes]",
        "file:///notes.md\n# Notes",
        "[file:///a.bin, 2 bytes]",
        "[file:///a.pdf, application/pdf, 4 bytes]",
    ];
    let content = texts.map(|text| json!({ "type": "text", "text": text })).to_vec();
    let (call_id, tool_name) = ("1".to_owned(), "calls".to_owned());
    let result = ToolResult { call_id, tool_name, output: recording(), duration: None };
    assert_eq!(result.to_message()["content"], json!(content));

    let folder = tempfile::tempdir().unwrap();
    let mut file = SessionFile::open(folder.path().join("session.jsonl"), folder.path()).unwrap();
    file.append_result("1", "calls", &recording()).unwrap();
    assert_eq!(file.entries().last().unwrap()["message"]["content"], json!(content));
}

#[test]
fn a_file_that_is_no_sound_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("alarm.wav");
    std::fs::write(&file, FLAC).unwrap();
    assert_eq!(Audio::from_file(&file).unwrap().mime_type(), "audio/flac");
    std::fs::write(&file, "ring").unwrap();
    let error = Audio::from_file(&file).unwrap_err();
    assert_eq!(error.message(), format!("{}: not a sound: expected WAV, MP3, Ogg or FLAC", file.display()));
}

/// Read aloud, and hand over what was read.
#[pi_tool(handle = ReadAloud, register = false, max_lines = 2)]
async fn read_aloud() -> Result<ToolOutput, ToolError> {
    let text = |uri: &str, text: &str| Resource::from_text(uri, text);
    Ok(ToolOutput::text("1")
        .with_audio(Audio::from_bytes(FLAC)?)
        .with_resource(text("a:", "2\n3"))
        .with_resource(Resource::from_bytes("b:", vec![0; 100_000]))
        .with_resource(text("c:", "4")))
}

#[tokio::test]
async fn the_texts_of_resources_are_cut_with_the_others() {
    let toolbox = Toolbox::builder().tool(ReadAloud).build().unwrap();
    let output = toolbox.call("read_aloud", "{}").await;
    let kept: Vec<&str> = output
        .content()
        .iter()
        .map(|block| match block {
            Content::Audio(_) => "sound",
            Content::Resource(resource) => resource.uri(),
            _ => "text",
        })
        .collect();
    // Of the texts the last is gone.
    assert_eq!(kept, ["text", "sound", "a:", "b:"]);
    expect(output).contains("1\n2\n\n[Showing lines 1-2 of 4. Full output: ");
}
