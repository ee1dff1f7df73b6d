//! Images: their kinds, their form, and that nothing cuts them.

use pi_tools::prelude::*;
use pi_tools::testing::expect;
use pi_tools::{Content, Image, ToolResult};
use serde_json::json;

/// A picture of one point.
const GIF: &[u8] =
    b"GIF89a\x01\0\x01\0\x80\0\0\xff\xff\xff\0\0\0!\xf9\x04\0\0\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;";
const GIF_IN_BASE64: &str = "R0lGODlhAQABAIAAAP///wAAACH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==";

#[test]
fn an_image_is_a_block_as_pi_has_it() {
    let output = ToolOutput::<()>::text("The chart:").with_image(Image::from_bytes(GIF).unwrap());
    let expected = json!({
        "content": [
            { "type": "text", "text": "The chart:" },
            { "type": "image", "data": GIF_IN_BASE64, "mimeType": "image/gif" },
        ],
    });
    assert_eq!(json!(output), expected);
    assert_eq!(serde_json::from_value::<ToolOutput<()>>(expected).unwrap(), output);
    assert_eq!(output.to_text(), "The chart:");
    // A message about it is not a page of base64.
    assert!(!format!("{output:?}").contains(GIF_IN_BASE64));

    let result = ToolResult {
        call_id: "1".to_owned(),
        tool_name: "chart".to_owned(),
        output: ToolOutput::text("The chart:").with_image(Image::from_bytes(GIF).unwrap()),
        duration: None,
    };
    assert_eq!(result.to_message()["content"][1]["mimeType"], "image/gif");
}

#[test]
fn the_bytes_say_of_which_kind_a_file_is() {
    let folder = tempfile::tempdir().unwrap();
    let misnamed = folder.path().join("picture.png");
    std::fs::write(&misnamed, GIF).unwrap();
    let image = Image::from_file(&misnamed).unwrap();
    assert_eq!((image.mime_type(), image.data()), ("image/gif", GIF_IN_BASE64));

    let text = folder.path().join("notes.png");
    std::fs::write(&text, "BM stands for benchmark, and so on and on").unwrap();
    let error = Image::from_file(&text).unwrap_err();
    let place = text.display();
    assert_eq!(error.message(), format!("{place}: not an image: expected PNG, JPEG, GIF, WebP or BMP"));

    let missing = folder.path().join("missing.png");
    let error = Image::from_file(&missing).unwrap_err();
    assert!(error.message().starts_with(&format!("{}: ", missing.display())), "{error}");
}

/// Draw something, and tell of it at length.
#[pi_tool(handle = Draw, register = false, max_lines = 2)]
async fn draw(
    /// How many lines to tell.
    lines: usize,
    /// Whether to fail.
    fail: Option<bool>,
) -> Result<ToolOutput, ToolError> {
    let image = Image::from_bytes(GIF)?;
    let text = |from: usize| (from..from + lines).map(|n| n.to_string()).collect::<Vec<_>>().join("\n");
    let content = vec![
        Content::Image(image.clone()),
        Content::Text { text: text(0) },
        Content::Image(image.clone()),
        Content::Text { text: text(lines) },
    ];
    Ok(ToolOutput::text("").with_content(content).with_image(image).with_is_error(fail == Some(true)))
}

#[tokio::test]
async fn images_are_never_cut() {
    let toolbox = Toolbox::builder().tool(Draw).build().unwrap();
    for fail in [false, true] {
        let output = toolbox.call("draw", json!({ "lines": 3, "fail": fail })).await;
        assert_eq!(output.is_error(), fail);
        let kinds: Vec<bool> = output.content().iter().map(|block| matches!(block, Content::Image(_))).collect();
        // Of the texts the second is gone.
        assert_eq!(kinds, [true, false, true, true], "{output:?}");
        expect(output).has_images(&["image/gif"; 3]).contains("0\n1\n\n[Showing lines 1-2 of 6. Full output: ");
    }
    let short = toolbox.call("draw", json!({ "lines": 1 })).await;
    expect(short).has_images(&["image/gif"; 3]).has_text("0\n1");
}

/// Show a picture and nothing else, of more bytes than a text may have.
#[pi_tool(handle = Show, register = false, max_lines = 1, max_bytes = 10)]
async fn show_picture() -> Result<ToolOutput, ToolError> {
    let bytes = [GIF, &vec![0; 100_000]].concat();
    Ok(ToolOutput::text("").with_content([Content::Image(Image::from_bytes(bytes)?)]))
}

#[tokio::test]
async fn an_image_may_stand_alone() {
    let toolbox = Toolbox::builder().tool(Show).build().unwrap();
    let output = toolbox.call("show_picture", "{}").await;
    expect(output.clone()).is_success().has_text("").has_images(&["image/gif"]);
    let Content::Image(image) = &output.content()[0] else { panic!("{output:?}") };
    assert!(image.data().len() > 100_000);
}
