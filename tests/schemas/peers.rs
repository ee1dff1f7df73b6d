//! Six tools by which libraries of this kind are compared, and what goes wrong elsewhere: documented enums as unions of
//! constants, nulls, references, formats and names of Rust's types.
#![expect(dead_code, reason = "the fields are printed, which does not count")]

use std::collections::HashMap;

use pi_tools::prelude::*;
use pi_tools::schema::Dialect;
use pi_tools::schemars::{self, JsonSchema};
use serde_json::{Value, json};

/// What to do with the list.
#[derive(Clone, Copy, Debug, StringEnum)]
enum Action {
    /// Show every open item.
    List,
    /// Append one item.
    Add,
    /// Tick one item off.
    Done,
}

/// How to search.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Mode {
    /// Every word, as written.
    Exact,
    /// Words that are near.
    Fuzzy,
}

#[derive(Debug, Deserialize, JsonSchema)]
enum AddressKind {
    Home,
    Work,
}

/// Where somebody lives.
#[derive(Debug, Deserialize, JsonSchema)]
struct Address {
    /// Street and number.
    street: String,
    /// Which of several.
    kind: Option<AddressKind>,
}

/// A figure.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Shape {
    /// A circle.
    Circle {
        /// From its middle.
        radius: f64,
    },
    /// A rectangle.
    Rect {
        /// From left to right.
        width: f64,
        /// From top to bottom.
        height: f64,
    },
}

/// Greet someone by name.
#[pi_tool(handle = Greet, register = false)]
async fn greet(
    /// Whom to greet.
    name: String,
) -> String {
    format!("Hello, {name}!")
}

/// Manage the to-do list.
#[pi_tool(handle = Todo, register = false)]
async fn todo(
    /// What to do.
    action: Action,
    /// The item.
    text: Option<String>,
) -> String {
    format!("{action} {text:?}")
}

/// Search the notes.
#[pi_tool(handle = Search, register = false)]
async fn search(
    /// What to look for.
    query: String,
    /// How.
    mode: Option<Mode>,
    /// How many results.
    #[arg(range = 1..=50, default = 10)]
    limit: u32,
    /// Only with all of these.
    tags: Option<Vec<String>>,
) -> String {
    format!("{query} {mode:?} {limit} {tags:?}")
}

/// Add somebody to the address book.
#[pi_tool(handle = Contact, register = false)]
async fn contact(
    /// Who.
    name: String,
    /// Where.
    address: Address,
    /// Where else.
    others: Option<Vec<Address>>,
) -> String {
    format!("{name} {address:?} {others:?}")
}

/// Sum numbers up.
#[pi_tool(handle = Stats, register = false)]
async fn stats(
    /// The numbers, by name.
    numbers: HashMap<String, f64>,
) -> String {
    numbers.values().sum::<f64>().to_string()
}

/// Draw a figure.
#[pi_tool(handle = Draw, register = false)]
async fn draw(
    /// The figure.
    shape: Shape,
) -> String {
    format!("{shape:?}")
}

fn toolbox() -> Toolbox {
    Toolbox::builder().tool(Greet).tool(Todo).tool(Search).tool(Contact).tool(Stats).tool(Draw).build().unwrap()
}

#[test]
fn the_schemas_side_by_side() {
    let toolbox = toolbox();
    let schema = |name: &str| toolbox.get(name).unwrap().parameters().unwrap().schema().clone();
    assert_eq!(
        schema("todo")["properties"],
        json!({
            "action": {
                "type": "string",
                "enum": ["list", "add", "done"],
                "description": "What to do.\nlist: Show every open item.\nadd: Append one item.\ndone: Tick one item off.",
            },
            "text": { "type": "string", "description": "The item." },
        })
    );
    assert_eq!(
        schema("search"),
        json!({
            "type": "object",
            "properties": {
                "query": { "type": "string", "description": "What to look for." },
                "mode": {
                    "type": "string",
                    "enum": ["exact", "fuzzy"],
                    "description": "How.\nexact: Every word, as written.\nfuzzy: Words that are near.",
                },
                "limit": { "type": "integer", "description": "How many results.", "default": 10, "minimum": 1, "maximum": 50 },
                "tags": { "type": "array", "description": "Only with all of these.", "items": { "type": "string" } },
            },
            "required": ["query"],
            "additionalProperties": false,
        })
    );
    let address = json!({
        "type": "object",
        "description": "Where.",
        "properties": {
            "street": { "type": "string", "description": "Street and number." },
            "kind": { "type": "string", "enum": ["Home", "Work"], "description": "Which of several." },
        },
        "required": ["street"],
    });
    assert_eq!(schema("contact")["properties"]["address"], address);
    assert_eq!(schema("contact")["properties"]["others"]["items"]["properties"], address["properties"]);
    assert_eq!(schema("stats")["properties"]["numbers"]["additionalProperties"], json!({ "type": "number" }));
    assert_eq!(
        schema("draw")["properties"]["shape"]["anyOf"][0],
        json!({
            "type": "object",
            "description": "The figure. A circle.",
            "properties": {
                "type": { "type": "string", "enum": ["circle"] },
                "radius": { "type": "number", "description": "From its middle." },
            },
            "required": ["type", "radius"],
        })
    );
}

/// None of it is in any dialect, but for the null that OpenAI's strict mode asks for.
#[test]
fn nothing_that_goes_wrong_elsewhere() {
    let toolbox = toolbox();
    let mut count = 0;
    for dialect in Dialect::ALL {
        for declaration in toolbox.declarations(dialect).unwrap().tools() {
            let text = declaration.schema.to_string();
            for fault in ["oneOf", "const", "$schema", "$ref", "$defs", "title", "uint", "nullable"] {
                assert!(!text.contains(&format!("\"{fault}")), "{fault}: {} for {dialect:?}: {text}", declaration.name);
            }
            for name in ["Action", "Mode", "AddressKind", "Address", "Shape"] {
                assert!(!text.contains(name), "{name}: {text}");
            }
            // Gemini knows this one format of numbers.
            assert!(dialect == Dialect::Google || !text.contains("\"format"), "{} for {dialect:?}", declaration.name);
            let is_strict = declaration.dialect == Dialect::OpenAiStrict;
            assert!(is_strict || !text.contains("\"null\""), "{} for {dialect:?}: {text}", declaration.name);
            count += 1;
        }
    }
    assert_eq!(count, 6 * Dialect::ALL.len());
    toolbox.check(&Dialect::ALL).unwrap();
}

/// What the schema says is what a call is held to, and an error names every fault.
#[tokio::test]
async fn bad_input_is_told_by_name() {
    let toolbox = toolbox();
    let text = async |name: &str, arguments: Value| toolbox.call(name, arguments).await.to_text();
    assert_eq!(
        text("search", json!({ "limit": 500, "extra": 1, "mode": "loud" })).await.lines().take(5).collect::<Vec<_>>(),
        [
            "Validation failed for tool \"search\":",
            "  - query: missing",
            "  - mode: expected one of [\"exact\",\"fuzzy\"]",
            "  - limit: expected <= 50",
            "  - extra: unknown field",
        ]
    );
    assert!(text("draw", json!({ "shape": { "type": "circle", "radius": 2.0 } })).await.contains("Circle"));
    assert_eq!(text("search", json!({ "query": "tea" })).await, "tea None 10 None");
}
