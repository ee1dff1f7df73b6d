//! What clients are told of the tools.

use pi_tools::hosts::mcp::Server;
use pi_tools::prelude::*;
use pi_tools::{Tool, ToolSpec, Tools};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};

use crate::client::{Client, FIXTURE, LAB, OUTSIDE, initialize, request, text};

/// Paint a wall.
#[pi_tool(
    handle = Paint,
    register = false,
    label = "Wall painter",
    namespace = "walls",
    prompt_snippet = "Paint a wall in any colour",
    guidelines = ["Use paint for walls", "Ask paint for one coat at a time."],
    idempotent,
    destructive = false
)]
async fn paint(
    /// The colour.
    colour: String,
) -> String {
    format!("{colour} wall")
}

/// Nobody calls it.
#[pi_tool(handle = Cellar, register = false, exposure = "hidden")]
async fn cellar() {}

/// Tear a wall down.
#[pi_tool(handle = Demolish, register = false, default_active = false, namespace = "walls")]
async fn demolish() {}

/// Count the walls.
#[pi_tool(handle = CountWalls, register = false, read_only)]
async fn count_walls() -> Json<Vec<u32>> {
    Json(vec![4])
}

#[derive(Deserialize, pi_tools::schemars::JsonSchema)]
struct Nothing {}

/// Says that its results are data, and gives none.
struct Empty;

impl Tool for Empty {
    type Arguments = Nothing;
    type State = ();

    fn spec(&self) -> &'static ToolSpec {
        static SPEC: ToolSpec = ToolSpec::new("empty", "Empty", "Give nothing.");
        &SPEC
    }

    fn output_schema(&self) -> Option<pi_tools::OutputSchema> {
        <Json<String> as pi_tools::IntoToolOutput>::output_schema()
    }

    async fn call(&self, _: Nothing, (): &mut (), _: &ToolContext) -> Result<ToolOutput, ToolError> {
        Ok(ToolOutput::text("nothing"))
    }
}

fn server() -> Server {
    let toolbox = Toolbox::builder().tool(Paint).tool(Cellar).tool(Demolish).tool(CountWalls).build().unwrap();
    Server::new(toolbox).name("site").version("7")
}

/// The answers of a server to `initialize` in this revision, and to these requests.
async fn answers(server: Server, version: &str, requests: &[Value]) -> Vec<Value> {
    let (client, other) = tokio::io::duplex(1 << 16);
    let (input, output) = tokio::io::split(other);
    let server = tokio::spawn(server.serve(input, output));
    let (input, mut output) = tokio::io::split(client);
    let mut lines = BufReader::new(input).lines();
    let mut answers = Vec::new();
    for request in std::iter::once(&initialize(version, &json!({}))).chain(requests) {
        output.write_all(format!("{request}\n").as_bytes()).await.unwrap();
        let line = lines.next_line().await.unwrap().unwrap();
        answers.push(serde_json::from_str(&line).unwrap());
    }
    output.shutdown().await.unwrap();
    server.await.unwrap().unwrap();
    answers
}

#[test]
fn a_slow_reader_gets_the_last_answer_too() {
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let (client, other) = tokio::io::duplex(64);
    let serving = std::thread::spawn(move || {
        let (input, output) = tokio::io::split(other);
        // The runtime is gone as soon as it has ended.
        runtime().block_on(server().serve(input, output))
    });
    let (input, mut output) = tokio::io::split(client);
    let lines = runtime().block_on(async {
        let colour = "x".repeat(5000);
        let call = request(1, "tools/call", &json!({ "name": "paint", "arguments": { "colour": colour } }));
        output.write_all(format!("{}\n{call}\n", initialize("2025-11-25", &json!({}))).as_bytes()).await.unwrap();
        output.shutdown().await.unwrap();
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
        let mut lines = BufReader::new(input).lines();
        let mut all = Vec::new();
        while let Some(line) = lines.next_line().await.unwrap() {
            all.push(serde_json::from_str::<Value>(&line).unwrap());
        }
        all
    });
    serving.join().unwrap().unwrap();
    assert_eq!(text(&lines[1]["result"]).len(), 5005);
}

async fn listed(server: Server) -> Vec<String> {
    let answers = answers(server, "2025-11-25", &[request(1, "tools/list", &json!({}))]).await;
    let tools = answers[1]["result"]["tools"].as_array().unwrap();
    tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_tool_says_all_that_its_spec_says() {
    let answers = answers(server(), "2025-11-25", &[request(1, "tools/list", &json!({}))]).await;
    assert_eq!(answers[0]["result"]["serverInfo"], json!({ "name": "site", "version": "7" }));
    assert_eq!(
        answers[0]["result"]["instructions"],
        "site has these tools: count_walls, paint.\n\n- paint: Paint a wall in any colour\n\nRules:\n\
         - Use paint for walls\n- Ask paint for one coat at a time."
    );
    assert_eq!(
        answers[1]["result"]["tools"],
        json!([
            {
                "name": "count_walls",
                "title": "Count walls",
                "description": "Count the walls.",
                "inputSchema": { "type": "object", "properties": {}, "additionalProperties": false },
                "annotations": { "title": "Count walls", "readOnlyHint": true },
            },
            {
                "name": "paint",
                "title": "Wall painter",
                "description": "Paint a wall.\n\nUse paint for walls. Ask paint for one coat at a time.",
                "inputSchema": {
                    "type": "object",
                    "properties": { "colour": { "type": "string", "description": "The colour." } },
                    "required": ["colour"],
                    "additionalProperties": false,
                },
                "annotations": { "title": "Wall painter", "destructiveHint": false, "idempotentHint": true },
            },
        ])
    );
}

#[tokio::test]
async fn the_tools_that_are_served() {
    assert_eq!(listed(server()).await, ["count_walls", "paint"]);
    assert_eq!(listed(server().only(["demolish", "cellar"])).await, ["demolish"]);
    assert_eq!(listed(server().only([Tools::Namespace("walls".to_owned())])).await, ["demolish", "paint"]);
    assert_eq!(listed(server().except([Tools::ReadOnly])).await, ["paint"]);
    assert_eq!(listed(server().only([Tools::Namespace("walls".to_owned())]).except(["paint"])).await, ["demolish"]);

    let calls = ["cellar", "demolish"].map(|name| request(1, "tools/call", &json!({ "name": name })));
    for answer in &answers(server(), "2025-11-25", &calls).await[1..] {
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
    }
}

#[tokio::test]
async fn data_of_a_schema_comes_with_every_success() {
    let requests = [request(1, "tools/list", &json!({})), request(2, "tools/call", &json!({ "name": "count_walls" }))];
    // Before 2026-07-28 such data was an object.
    let legacy = answers(server(), "2025-11-25", &requests).await;
    assert!(legacy[1]["result"]["tools"][0].get("outputSchema").is_none());
    assert!(legacy[2]["result"].get("structuredContent").is_none());
    assert_eq!(text(&legacy[2]["result"]), "[4]");

    let empty = Server::new(Toolbox::builder().tool(Empty).build().unwrap());
    let answers = answers(empty, "2025-11-25", &[request(1, "tools/call", &json!({ "name": "empty" }))]).await;
    assert_eq!(answers[1]["result"]["isError"], true);
    assert!(answers[1]["result"].to_string().contains("empty: there is no structured content"), "{}", answers[1]);
}

#[tokio::test]
async fn an_unusable_tool_is_a_fault_before_anything_is_served() {
    static SPEC: ToolSpec = ToolSpec::new("no name", "No name", "Have a name that nobody takes.");
    struct NoName;
    impl Tool for NoName {
        type Arguments = ();
        type State = ();

        fn spec(&self) -> &'static ToolSpec {
            &SPEC
        }

        async fn call(&self, (): (), (): &mut (), _: &ToolContext) -> Result<ToolOutput, ToolError> {
            Ok(ToolOutput::text(""))
        }
    }
    let server = Server::new(Toolbox::builder().tool(NoName).build().unwrap());
    let error = server.serve(tokio::io::empty(), tokio::io::sink()).await.unwrap_err();
    assert!(error.to_string().contains("tool `no name`"), "{error}");
}

/// What clients have refused: a boolean in place of a schema, a list without `items`, a `$schema`, and in the root
/// anything but an object with properties.
fn faults(schema: &Value, path: &str, faults: &mut Vec<String>) {
    let Some(schema) = schema.as_object() else { return faults.push(format!("{path}: {schema}")) };
    if schema.get("type") == Some(&json!("array")) && !schema.contains_key("items") {
        faults.push(format!("{path}: no items"));
    }
    if schema.contains_key("$schema") {
        faults.push(format!("{path}: $schema"));
    }
    for (name, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        self::faults(property, &format!("{path}.{name}"), faults);
    }
    for keyword in ["items", "not"] {
        if let Some(schema) = schema.get(keyword) {
            self::faults(schema, &format!("{path}.{keyword}"), faults);
        }
    }
    for keyword in ["anyOf", "oneOf", "allOf", "prefixItems"] {
        for schema in schema.get(keyword).and_then(Value::as_array).into_iter().flatten() {
            self::faults(schema, &format!("{path}.{keyword}"), faults);
        }
    }
}

#[test]
fn arguments_are_held_to_a_schema_that_is_told_as_written() {
    let mut client = Client::modern(FIXTURE, &[], &json!({}));
    let tool = "json_schema_2020_12_tool";
    let by_phone = json!({ "contactMethod": "phone", "phone": "112", "address": { "city": "Paris" } });
    assert_eq!(client.call(tool, &by_phone)["isError"], false);
    for wrong in [
        json!({ "contactMethod": "phone", "email": "ada@example.org" }),
        json!({ "contactMethod": "email", "phone": "112" }),
        json!({ "name": "Ada" }),
        json!({ "phone": "112", "email": "ada@example.org", "fax": "113" }),
    ] {
        let refused = client.call(tool, &wrong);
        assert_eq!(refused["isError"], true, "{wrong}: {refused}");
    }
}

#[test]
fn every_client_takes_the_lists() {
    for bundle in [LAB, OUTSIDE, FIXTURE] {
        let mut client = Client::modern(bundle, &[], &json!({}));
        let list = client.request("tools/list", json!({}))["result"]["tools"].take();
        assert_eq!(client.request("tools/list", json!({}))["result"]["tools"], list, "it is the same each time");
        let tools = list.as_array().unwrap();
        assert!(tools.is_sorted_by_key(|tool| tool["name"].as_str()), "{list}");
        let mut found = Vec::new();
        for tool in tools {
            let schema = &tool["inputSchema"];
            assert_eq!((&schema["type"], schema["properties"].is_object()), (&json!("object"), true), "{tool}");
            // That one asks to be told as it is written.
            if tool["name"] == "json_schema_2020_12_tool" {
                assert!(schema["allOf"].is_array(), "{tool}");
                continue;
            }
            for keyword in ["anyOf", "oneOf", "allOf", "not", "enum", "$ref"] {
                assert!(schema.get(keyword).is_none(), "{tool}");
            }
            faults(schema, tool["name"].as_str().unwrap(), &mut found);
        }
        assert_eq!(found, [""; 0]);
    }
}
