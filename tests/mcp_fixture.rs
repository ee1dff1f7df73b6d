//! The tools that the conformance suite of MCP calls, by the names that it has for them: those whose results this library
//! has. It has no sampling, no roots, and no resources to list.

use std::borrow::Cow;
use std::time::Duration;

use pi_tools::prelude::*;
use pi_tools::schemars::{self, JsonSchema, Schema, SchemaGenerator, json_schema};
use pi_tools::{Audio, Content, Image, Resource};

const POINT: &[u8] = include_bytes!("output/point.png");

async fn moment() {
    tokio::time::sleep(Duration::from_millis(50)).await;
}

/// Return a text.
#[pi_tool(read_only)]
async fn test_simple_text() -> String {
    "This is a simple text response for testing.".to_owned()
}

/// Return an image.
#[pi_tool(read_only)]
async fn test_image_content() -> Result<ToolOutput<()>, ToolError> {
    Ok(ToolOutput::text("").with_content([Content::Image(Image::from_bytes(POINT)?)]))
}

/// Return sound.
#[pi_tool(read_only)]
async fn test_audio_content() -> Result<ToolOutput<()>, ToolError> {
    // A file without a sample: 8000 a second, of one channel and 8 bits.
    let silence = b"RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x40\x1f\0\0\x01\0\x08\0data\0\0\0\0";
    Ok(ToolOutput::text("").with_content([Content::Audio(Audio::from_bytes(silence)?)]))
}

/// Return something that has an address.
#[pi_tool(read_only)]
async fn test_embedded_resource() -> ToolOutput<()> {
    let resource = Resource::from_text("test://embedded-resource", "This is an embedded resource content.");
    ToolOutput::text("").with_content([Content::Resource(resource.with_mime_type("text/plain"))])
}

/// Return a text, an image and something that has an address.
#[pi_tool(read_only)]
async fn test_multiple_content_types() -> Result<ToolOutput<()>, ToolError> {
    let resource = Resource::from_text("test://mixed-content-resource", r#"{"test":"data","value":123}"#);
    Ok(ToolOutput::text("Multiple content types test:")
        .with_image(Image::from_bytes(POINT)?)
        .with_resource(resource.with_mime_type("application/json")))
}

/// Fail.
#[pi_tool(read_only)]
async fn test_error_handling() -> Result<String, ToolError> {
    Err(ToolError::new("This tool intentionally returns an error for testing"))
}

/// Tell three times how far it is.
#[pi_tool(read_only)]
async fn test_tool_with_progress(cx: &ToolContext) -> String {
    for done in [0, 50, 100] {
        cx.update(format!("{done} of 100"));
        moment().await;
    }
    "done".to_owned()
}

/// Show three notices.
#[pi_tool(read_only)]
async fn test_tool_with_logging(cx: &ToolContext) -> String {
    for notice in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
        cx.ui().notify(notice, Level::Info);
        moment().await;
    }
    "done".to_owned()
}

/// Show a notice to whoever asked for notices.
#[pi_tool(read_only)]
async fn test_logging_tool(cx: &ToolContext) -> String {
    cx.ui().notify("a notice", Level::Info);
    moment().await;
    "done".to_owned()
}

/// Ask the user something.
#[pi_tool(read_only)]
async fn test_elicitation(
    /// What to ask.
    message: String,
    cx: &ToolContext,
) -> String {
    format!("User response: {:?}", cx.ui().input(&message, "").await)
}

/// Ask the user something, with news before and after it.
#[pi_tool(read_only)]
async fn test_streaming_elicitation(cx: &ToolContext) -> String {
    cx.update("asking");
    let answer = cx.ui().confirm("Go on?", "").await;
    cx.update("asked");
    format!("{answer:?}")
}

/// Take a moment. The suite looks at the events of the stream; that a tool closes it is up to the tool.
#[pi_tool(read_only)]
async fn test_reconnection() -> String {
    moment().await;
    "done".to_owned()
}

/// Who somebody is.
#[derive(Deserialize, JsonSchema)]
struct Person {
    name: String,
}

/// Ask for a name.
#[pi_tool(read_only)]
async fn test_input_required_result_elicitation(cx: &ToolContext) -> Result<String, ToolError> {
    let person = cx.ui().named("user_name").form::<Person>("What is your name?").await?;
    Ok(format!("Hello, {}!", person.map_or_else(|| "whoever you are".to_owned(), |person| person.name)))
}

#[derive(Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Status {
    #[default]
    Active,
    Inactive,
    Pending,
}

/// A form with defaults.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(default)]
struct Account {
    name: String,
    age: u32,
    score: f64,
    status: Status,
    verified: bool,
}

impl Default for Account {
    fn default() -> Self {
        Self { name: "John Doe".to_owned(), age: 30, score: 95.5, status: Status::Active, verified: true }
    }
}

/// Ask for several things that have defaults.
#[pi_tool(read_only)]
async fn test_elicitation_sep1034_defaults(cx: &ToolContext) -> Result<String, ToolError> {
    Ok(format!("{:?}", cx.ui().form::<Account>("Your account").await?))
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Untitled {
    Option1,
    Option2,
    Option3,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Titled {
    /// First Option
    Value1,
    /// Second Option
    Value2,
    /// Third Option
    Value3,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(extend("enumNames" = ["Option One", "Option Two", "Option Three"]))]
enum Legacy {
    Opt1,
    Opt2,
    Opt3,
}

/// A form of choices.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "only their Debug is written")]
struct Choices {
    untitled_single: Untitled,
    titled_single: Titled,
    legacy_enum: Legacy,
    untitled_multi: Vec<Untitled>,
    titled_multi: Vec<Titled>,
}

/// Ask for several choices.
#[pi_tool(read_only)]
async fn test_elicitation_sep1330_enums(cx: &ToolContext) -> Result<String, ToolError> {
    Ok(format!("{:?}", cx.ui().form::<Choices>("Your choices").await?))
}

/// Ask for a yes, and tell that the call is still the same.
#[pi_tool(read_only)]
async fn test_input_required_result_request_state(cx: &ToolContext) -> String {
    format!("state-ok: {:?}", cx.ui().confirm("Please confirm", "").await)
}

/// Ask for a yes in a call that nobody else may answer.
#[pi_tool(read_only)]
async fn test_input_required_result_tampered_state(cx: &ToolContext) -> String {
    format!("{:?}", cx.ui().confirm("Please confirm", "").await)
}

/// Ask twice.
#[pi_tool(read_only)]
async fn test_input_required_result_multi_round(cx: &ToolContext) -> String {
    let name = cx.ui().input("Step 1: What is your name?", "").await;
    let color = cx.ui().input("Step 2: What is your favorite color?", "").await;
    format!("{name:?} likes {color:?}")
}

/// How to reach somebody, in a schema with all that JSON Schema has.
#[derive(Debug, Deserialize)]
#[expect(dead_code, reason = "only its Debug is written")]
struct Contact {
    name: Option<String>,
    address: Option<Address>,
    #[serde(rename = "contactMethod")]
    method: Option<String>,
    phone: Option<String>,
    email: Option<String>,
}

#[derive(Debug, Deserialize)]
#[expect(dead_code, reason = "only its Debug is written")]
struct Address {
    street: Option<String>,
    city: Option<String>,
}

impl JsonSchema for Contact {
    fn schema_name() -> Cow<'static, str> {
        "Contact".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let address = json_schema!({
            "$anchor": "addressDef",
            "type": "object",
            "properties": { "street": { "type": "string" }, "city": { "type": "string" } },
        });
        generator.definitions_mut().insert("address".into(), address.into());
        json_schema!({
            "x-pi-tools-as-written": true,
            "type": "object",
            "properties": {
                "name": { "type": "string" },
                "address": { "$ref": "#/$defs/address" },
                "contactMethod": { "type": "string", "enum": ["phone", "email"] },
                "phone": { "type": "string" },
                "email": { "type": "string" },
            },
            "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
            "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
            "then": { "required": ["phone"] },
            "else": { "required": ["email"] },
            "additionalProperties": false,
        })
    }
}

/// Take arguments whose schema has all that JSON Schema has.
#[pi_tool(read_only)]
async fn json_schema_2020_12_tool(#[arg(flatten)] contact: Contact) -> String {
    format!("{contact:?}")
}

/// Take an argument that is sent in a header, too.
#[pi_tool(read_only)]
async fn test_custom_headers(
    /// Where.
    #[schemars(extend("x-mcp-header" = "Region"))]
    region: String,
) -> String {
    region
}

pi_tools::main!();
