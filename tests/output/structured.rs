//! Structured content and its schema.

use pi_tools::prelude::*;
use pi_tools::schema::output_schema;
use pi_tools::testing::expect;
use pi_tools::{IntoToolOutput, OutputSchema, Tool, ToolSpec};
use schemars::JsonSchema;
use serde_json::{Value, json};

/// What was found.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Found {
    /// The best place.
    best: Option<Place>,
    /// Where else.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    others: Vec<Place>,
    /// Why there is no more.
    #[serde(skip_serializing_if = "Option::is_none")]
    cut_off: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Place {
    /// Its line.
    line: u32,
}

fn found(lines: &[u32]) -> Found {
    let place = |line: &u32| Place { line: *line };
    Found {
        best: lines.first().map(place),
        others: lines.iter().skip(1).map(place).collect(),
        cut_off: (lines.len() > 2).then(|| "enough".to_owned()),
    }
}

/// Find.
#[pi_tool(handle = Find, register = false)]
async fn find(
    /// In which lines it is.
    lines: Vec<u32>,
) -> Result<Json<Found>, ToolError> {
    if lines.contains(&0) {
        return Err(ToolError::new("lines begin with 1"));
    }
    Ok(Json(found(&lines)))
}

/// Count, on a thread.
#[pi_tool(handle = Count, register = false)]
fn count() -> (ToolOutput<u8>, Json<[u32; 2]>) {
    (ToolOutput::text("two of them").with_details(1).with_terminate(true), Json([1, 2]))
}

/// Say nothing as data.
#[pi_tool(handle = Plain, register = false)]
async fn plain() {}

fn toolbox() -> Toolbox {
    Toolbox::builder().tool(Find).tool(Count).tool(Plain).build().unwrap()
}

#[tokio::test]
async fn data_goes_beside_the_text() {
    let toolbox = toolbox();
    let output = toolbox.call("find", json!({ "lines": [7] })).await;
    let data = json!({ "best": { "line": 7 } });
    expect(output.clone()).is_success().has_text(r#"{"best":{"line":7}}"#).has_structured_content(&data);
    assert_eq!(json!(output)["structuredContent"], data);
    // Sessions keep details, and renderers read them.
    expect(output).has_details(&data);

    expect(toolbox.call("find", json!({ "lines": [0] })).await).is_error().has_text("lines begin with 1");
    let failed = toolbox.call("find", json!({ "lines": [0] })).await;
    assert_eq!(failed.structured_content(), None);
    assert!(json!(failed).get("structuredContent").is_none());

    let output = toolbox.call("count", "{}").await;
    expect(output.clone()).has_text("two of them").has_structured_content([1, 2]).has_details(1);
    assert!(output.terminate());
}

#[test]
fn numbers_are_told_as_they_are() {
    expect(Json(0.1_f32)).has_text("0.1");
}

/// What is taken out of the one may stand in the other.
#[test]
fn other_content_has_other_data() {
    let output = ToolOutput::<()>::text("secret").with_structured_content(json!("secret"));
    assert_eq!(output.with_content([]).structured_content(), None);
    let output = ToolOutput::<()>::text("a").with_content([]).with_structured_content(json!("a"));
    assert_eq!(output.structured_content(), Some(&json!("a")));
}

#[test]
fn a_failure_keeps_what_it_says() {
    let output = ToolOutput::error("no")
        .with_details(1)
        .with_structured_content(json!(2))
        .with_usage(json!({ "input": 3 }))
        .with_terminate(true);
    let expected = json!({
        "content": [{ "type": "text", "text": "no" }],
        "details": 1,
        "structuredContent": 2,
        "isError": true,
        "terminate": true,
        "usage": { "input": 3 },
    });
    assert_eq!(json!(output), expected);
    assert_eq!(json!(output.into_tool_output().unwrap()), expected);
}

#[test]
fn the_schema_is_that_of_what_is_written() {
    let toolbox = toolbox();
    let schema = toolbox.get("find").unwrap().output_schema().unwrap().unwrap();
    let validator = jsonschema::validator_for(schema).unwrap();
    let lists: [&[u32]; 4] = [&[], &[1], &[1, 2], &[1, 2, 3]];
    for lines in lists {
        let data = json!(found(lines));
        assert!(validator.is_valid(&data), "{data} {schema:#}");
    }
    for wrong in [json!({}), json!({ "best": {} }), json!({ "best": null, "others": null }), json!([])] {
        assert!(!validator.is_valid(&wrong), "{wrong} {schema:#}");
    }
    assert_eq!(schema["required"], json!(["best"]));
    assert_eq!(schema["description"], "What was found.");
    assert!(!schema.to_string().contains("$ref"), "{schema:#}");

    let schema = toolbox.get("count").unwrap().output_schema().unwrap().unwrap();
    assert_eq!(schema["type"], "array");
    assert_eq!(toolbox.get("plain").unwrap().output_schema().unwrap(), None);
}

/// A tree.
#[derive(Serialize, JsonSchema)]
struct Tree {
    /// What grows on it.
    branches: Vec<Tree>,
}

#[derive(Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "camelCase")]
enum Answer {
    Yes { how: Option<u8> },
    No { why: String },
}

#[test]
fn any_type_has_a_schema() {
    fn holds<T: Serialize + JsonSchema>(values: &[T], wrong: &Value) {
        let schema = output_schema::<T>().unwrap();
        let validator = jsonschema::validator_for(&schema).unwrap();
        for value in values {
            assert!(validator.is_valid(&json!(value)), "{} {schema:#}", json!(value));
        }
        assert!(!validator.is_valid(wrong), "{wrong} {schema:#}");
    }
    holds(&[Tree { branches: vec![Tree { branches: Vec::new() }] }], &json!({ "branches": [{}] }));
    holds(&[Answer::Yes { how: None }, Answer::No { why: "so".to_owned() }], &json!({ "kind": "no" }));
    holds(&[None, Some(Place { line: 1 })], &json!({}));
    holds(&[vec![Some(1_u8), None]], &json!(["1"]));
    holds(&["text"], &json!(1));
    holds(&[()], &json!({}));
    holds(&[std::collections::BTreeMap::from([("a", Some(1.5))])], &json!({ "a": "b" }));
    assert_eq!(output_schema::<Value>().unwrap(), json!({}));
}

/// A tool by hand says what its outputs hold.
struct ByHand;

impl Tool for ByHand {
    type Arguments = ();
    type State = ();

    fn spec(&self) -> &'static ToolSpec {
        static SPEC: ToolSpec = ToolSpec::new("by_hand", "By hand", "Do something.");
        &SPEC
    }

    fn output_schema(&self) -> Option<OutputSchema> {
        Json::<Place>::output_schema()
    }

    async fn call(&self, (): (), (): &mut (), _: &ToolContext) -> Result<ToolOutput, ToolError> {
        Json(Place { line: 1 }).into_tool_output()
    }
}

#[test]
fn a_tool_by_hand_has_a_schema() {
    let toolbox = Toolbox::builder().tool(ByHand).build().unwrap();
    let schema = toolbox.get("by_hand").unwrap().output_schema().unwrap().unwrap();
    assert_eq!(schema["required"], json!(["line"]));
}

/// Two schemas at once, which nobody writes into one.
#[derive(Serialize)]
struct Both;

impl JsonSchema for Both {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Both".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "allOf": [{ "type": "object" }, { "type": "object" }] })
    }
}

/// Return what cannot be published.
#[pi_tool(handle = Unpublished, register = false)]
async fn unpublished() -> Json<Both> {
    Json(Both)
}

#[test]
fn a_schema_that_cannot_be_published_is_found() {
    let toolbox = Toolbox::builder().tool(Unpublished).build().unwrap();
    assert!(toolbox.get("unpublished").unwrap().output_schema().is_err());
    let error = toolbox.verify().unwrap_err();
    let [problem] = error.problems() else { panic!("{error}") };
    assert!(problem.contains("tool `unpublished`") && problem.contains(": output: only a single `allOf`"), "{problem}");
}
