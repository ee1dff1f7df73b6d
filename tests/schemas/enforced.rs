//! What calls are held to, beside what is published; and what a test finds out about tools.

use std::collections::BTreeMap;

use pi_tools::builtin::{EditDetails, LsDetails, ReadDetails};
use pi_tools::prelude::*;
use pi_tools::schema::Dialect;
use pi_tools::schemars::{self, JsonSchema};
use pi_tools::{IntoTool, Tool, ToolSpec};
use serde_json::{Value, json};

/// Constraints deep inside, by schemars' own attributes.
#[derive(Deserialize, JsonSchema)]
struct Entry {
    /// How good.
    #[schemars(range(min = 1, max = 5))]
    stars: u8,
    /// In few words.
    #[schemars(length(max = 5), regex(pattern = "^[a-z]*$"))]
    title: String,
    /// Who says so.
    #[schemars(email)]
    author: Option<String>,
}

/// What to do.
#[derive(Clone, Copy, StringEnum)]
enum Mode {
    #[string_enum(alias = "quick")]
    Fast,
    Slow,
}

/// Take values that have more to them than their types.
#[pi_tool(handle = Take, register = false)]
async fn take(
    /// Entries.
    entries: Option<Vec<Entry>>,
    /// A word.
    #[arg(pattern = "^\\p{L}+$")]
    word: Option<String>,
    /// No item twice.
    #[schemars(extend("uniqueItems" = true))]
    unique: Option<Vec<u8>>,
    /// A place.
    place: Option<(String, u8)>,
    /// By number.
    numbered: Option<BTreeMap<u32, bool>>,
    /// Narrow.
    narrow: Option<u32>,
    /// Steps.
    #[schemars(extend("multipleOf" = 0.1))]
    step: Option<f64>,
    /// Not zero.
    nonzero: Option<std::num::NonZeroI32>,
    /// How, each.
    modes: Option<Vec<Mode>>,
) -> String {
    let _ = (entries, word, unique, place, numbered, step, nonzero);
    format!("{:?} {}", narrow, modes.unwrap_or_default().iter().map(ToString::to_string).collect::<String>())
}

fn toolbox(tool: impl IntoTool) -> Toolbox {
    Toolbox::builder().tool(tool).build().unwrap()
}

async fn problems(arguments: Value) -> Vec<String> {
    let output = toolbox(Take).call("take", arguments).await;
    let text = output.to_text();
    let lines = text.lines().filter_map(|line| line.strip_prefix("  - "));
    lines.map(str::to_owned).collect()
}

#[tokio::test]
async fn every_constraint_is_enforced() {
    for (arguments, expected) in [
        (
            json!({ "entries": [{ "stars": 6, "title": "ABCDEF", "author": "me" }] }),
            vec![
                "entries.0.stars: expected <= 5",
                "entries.0.title: expected at most 5 characters",
                "entries.0.title: expected to match ^[a-z]*$",
                "entries.0.author: expected format email",
            ],
        ),
        (json!({ "word": "two words" }), vec!["word: expected to match ^\\p{L}+$"]),
        (json!({ "unique": [1, 2, 1] }), vec!["unique: expected unique items"]),
        (
            json!({ "place": [{}, "a"] }),
            vec!["place.0: expected string, got object", "place.1: expected integer, got string"],
        ),
        (json!({ "place": ["a", 256] }), vec!["place.1: expected <= 255"]),
        (json!({ "numbered": { "1": true, "x": true } }), vec!["numbered.x: unknown field"]),
        (json!({ "narrow": 4_294_967_296_u64 }), vec!["narrow: expected <= 4294967295"]),
        (json!({ "step": 0.25 }), vec!["step: expected a multiple of 0.1"]),
        (json!({ "nonzero": 0 }), vec!["nonzero: must not match the schema in not"]),
        (json!({ "modes": ["fast", "loud"] }), vec!["modes.1: expected one of [\"fast\",\"slow\"]"]),
    ] {
        assert_eq!(problems(arguments.clone()).await, expected, "{arguments}");
    }
}

#[tokio::test]
async fn what_is_right_passes() {
    let output = toolbox(Take)
        .call(
            "take",
            json!({
                "entries": [{ "stars": 5, "title": "abc", "author": "ada@example.com" }],
                "word": "élan", "unique": [1, 2], "place": ["a", 255], "numbered": { "7": true }, "step": 0.3,
                "nonzero": -1, "narrow": 5.0, "modes": ["quick", "slow"],
            }),
        )
        .await;
    assert_eq!(output.to_text(), "Some(5) fastslow");
}

/// What a tool by hand publishes it is held to, too.
#[tokio::test]
async fn a_tool_by_hand_is_held_to_its_schema() {
    struct Rate;

    impl Tool for Rate {
        type Arguments = Entry;
        type State = ();

        fn spec(&self) -> &'static ToolSpec {
            static SPEC: ToolSpec = ToolSpec::new("rate", "Rate", "Rate something.");
            &SPEC
        }

        async fn call(&self, entry: Entry, (): &mut (), _: &ToolContext) -> Result<ToolOutput, ToolError> {
            Ok(ToolOutput::text(format!("{} {} {:?}", entry.title, entry.stars, entry.author)))
        }
    }

    let toolbox = toolbox(Rate);
    let refused = toolbox.call("rate", r#"{"stars":0,"title":"abc"}"#).await;
    assert!(refused.to_text().contains("  - stars: expected >= 1\n"), "{}", refused.to_text());
    assert_eq!(toolbox.call("rate", r#"{"stars":1,"title":"abc"}"#).await.to_text(), "abc 1 None");
}

/// The problems of one tool, without its place.
fn found(tool: impl IntoTool, dialects: &[Dialect]) -> Vec<String> {
    let error = toolbox(tool).check(dialects).unwrap_err();
    error.problems().iter().map(|problem| problem.split_once("): ").unwrap().1.to_owned()).collect()
}

#[test]
fn a_pattern_that_is_none_is_found() {
    /// Take a word.
    #[pi_tool(handle = Word, register = false)]
    fn word(
        /// The word.
        #[schemars(extend("pattern" = "(["))]
        word: String,
    ) {
        drop(word);
    }
    let found = found(Word, &[]);
    assert!(found.len() == 1 && found[0].starts_with("Invalid regular expression: /([/: "), "{found:?}");
    assert!(toolbox(Word).verify().is_err());
}

/// Arguments with any schema.
#[derive(Deserialize)]
struct ByHand(serde_json::Map<String, Value>);

static BY_HAND: std::sync::Mutex<Value> = std::sync::Mutex::new(Value::Null);

impl JsonSchema for ByHand {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "ByHand".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        BY_HAND.lock().unwrap().clone().try_into().unwrap()
    }
}

struct TakeAny;

impl Tool for TakeAny {
    type Arguments = ByHand;
    type State = ();

    fn spec(&self) -> &'static ToolSpec {
        static SPEC: ToolSpec = ToolSpec::new("take", "Take", "Take something.");
        &SPEC
    }

    async fn call(&self, arguments: ByHand, (): &mut (), _: &ToolContext) -> Result<ToolOutput, ToolError> {
        Ok(ToolOutput::text(Value::from(arguments.0).to_string()))
    }
}

/// One test, as the schema is one for all.
#[tokio::test]
async fn what_nobody_would_enforce_is_found() {
    let take = |schema: Value| {
        *BY_HAND.lock().unwrap() = schema;
        let toolbox = toolbox(TakeAny);
        let problems = match toolbox.verify() {
            Ok(()) => Vec::new(),
            Err(error) => error.problems().iter().map(|text| text.split_once("): ").unwrap().1.to_owned()).collect(),
        };
        (toolbox, problems)
    };
    let of = |property: Value| json!({ "type": "object", "properties": { "a": property } });
    let union = json!([{ "type": "string" }, { "type": "object", "properties": {} }]);
    let node = json!({ "type": "object", "properties": { "next": { "$ref": "#/$defs/Node", "minProperties": 1 } } });
    let cases = [
        (of(json!({ "anyOf": union, "unevaluatedProperties": false })), "a: `unevaluatedProperties` ", "alternative"),
        (of(json!({ "anyOf": union, "minProperties": 1 })), "a: `minProperties` ", "into each alternative"),
        (
            of(json!({ "type": "array", "contains": {}, "unevaluatedItems": false })),
            "a: `unevaluatedItems` ",
            "`items`",
        ),
        (of(json!({ "$dynamicRef": "#node" })), "a: `$dynamicRef` ", "write `$ref`"),
        (of(json!({ "type": "string", "contentSchema": { "type": "object" } })), "a: `contentSchema` ", "itself"),
        (of(json!({ "type": "array", "items": { "pattern": "^a" } })), "a.*: `pattern` ", "the `type`"),
        (
            of(json!({ "not": { "type": "string", "contentSchema": {"type": "null"} } })),
            "a: `contentSchema` ",
            "itself",
        ),
        (json!({ "type": "object", "divisibleBy": 2 }), "`divisibleBy` ", "write `multipleOf`"),
        (
            json!({ "type": "object", "properties": { "n": { "$ref": "#/$defs/Node" } }, "$defs": { "Node": node } }),
            "Node.next: `minProperties` ",
            "into the definition",
        ),
    ];
    for (schema, place, way_out) in cases {
        let (_, problems) = take(schema);
        assert!(problems.len() == 1 && problems[0].starts_with(place), "{place}: {problems:?}");
        assert!(problems[0].contains(way_out), "{problems:?}");
    }

    let annotations = json!({
        "type": "string", "title": "A", "description": "A.", "default": "a", "examples": ["a"], "readOnly": true,
        "writeOnly": false, "deprecated": true, "$comment": "a", "contentEncoding": "base64", "x-order": 1,
        "unevaluatedProperties": true, "uniqueItems": false,
    });
    assert_eq!(take(of(annotations)).1, [""; 0]);

    // Where it means the same as what the check knows, it is that.
    // (A bound, as an object that is only closed is left to its type.)
    let closed = json!({ "properties": { "a": {} }, "minProperties": 1, "unevaluatedProperties": false });
    let (toolbox, problems) = take(closed);
    assert_eq!(problems, [""; 0]);
    let refused = toolbox.call("take", r#"{"a":1,"b":2}"#).await;
    assert!(refused.to_text().contains("  - b: unknown field\n"), "{}", refused.to_text());
    let places = json!({ "type": "array", "prefixItems": [{ "type": "string" }], "unevaluatedItems": false });
    let (toolbox, problems) = take(of(places));
    assert_eq!(problems, [""; 0]);
    assert!(toolbox.call("take", r#"{"a":["x",1]}"#).await.is_error());
    let dependent = json!({ "type": "object", "properties": { "a": {}, "b": {} }, "dependencies": { "a": ["b"] } });
    let (toolbox, problems) = take(dependent);
    assert_eq!(problems, [""; 0]);
    let refused = toolbox.call("take", r#"{"a":1}"#).await;
    assert!(refused.to_text().contains("  - b: required when a is present\n"), "{}", refused.to_text());
}

#[test]
fn a_schema_that_promises_too_much_or_too_little_is_found() {
    fn wider<'de, D: pi_tools::serde::Deserializer<'de>>(value: D) -> Result<u8, D::Error> {
        u8::deserialize(value)
    }

    /// Take a number.
    #[pi_tool(handle = Promises, register = false)]
    fn promises(
        /// It is published as any number.
        #[serde(deserialize_with = "wider")]
        #[schemars(with = "u64")]
        number: u8,
    ) {
        let _ = number;
    }

    /// Take a number.
    #[pi_tool(handle = Conceals, register = false)]
    fn conceals(
        /// It is published as a flag.
        #[schemars(with = "bool")]
        flag: Value,
    ) {
        drop(flag);
    }

    let found_wide = found(Promises, &[]);
    assert!(found_wide[0].starts_with("the schema accepts {\"number\":"), "{found_wide:?}");
    assert!(found_wide[0].contains("and the type refuses it: invalid value"), "{found_wide:?}");
    let found_narrow = found(Conceals, &[]);
    assert!(found_narrow[0].starts_with("the type accepts {\"flag\":"), "{found_narrow:?}");
    assert!(found_narrow[0].contains("and the schema refuses it: flag: expected boolean, got"), "{found_narrow:?}");
}

#[test]
fn a_field_without_a_description_is_found() {
    #[derive(Deserialize, JsonSchema)]
    struct Arguments {
        /// Told.
        told: String,
        untold: String,
    }

    /// Take two texts.
    #[pi_tool(handle = Untold, register = false)]
    fn untold(#[arg(flatten)] arguments: Arguments) -> String {
        arguments.told + &arguments.untold
    }

    assert_eq!(found(Untold, &[]), ["untold: has no description: write a doc comment on the field"]);
}

#[test]
fn an_override_with_other_arguments_is_found() {
    /// Read a file.
    #[pi_tool(overrides = "read", handle = Read, register = false)]
    fn read(
        /// The file.
        path: Option<String>,
        /// The first line.
        offset: Option<String>,
        /// How many lines.
        limit: Option<u32>,
    ) -> ToolOutput<ReadDetails> {
        let _ = (path, offset, limit);
        ToolOutput::text("").with_details(ReadDetails::default())
    }

    assert_eq!(
        found(Read, &[]),
        ["path: it is required in the built-in `read`", "offset: the built-in `read` takes number, not string",]
    );
}

#[test]
fn overrides_are_compared_at_any_depth() {
    #[derive(Deserialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    struct Replacement {
        old_text: String,
        new_text: Option<String>,
    }

    /// Edit a file.
    #[pi_tool(overrides = "edit", handle = Edit, register = false)]
    fn edit(
        /// The file.
        path: String,
        /// What is replaced.
        edits: Vec<Replacement>,
    ) -> ToolOutput<EditDetails> {
        let _ = edits.first().map(|edit| (&edit.old_text, &edit.new_text));
        ToolOutput::text(path).with_details(EditDetails::default())
    }

    /// List a folder.
    #[pi_tool(overrides = "ls", handle = List, register = false)]
    fn ls(
        /// The folder.
        path: Option<String>,
        /// How many.
        #[arg(range = 1..=5)]
        limit: Option<u8>,
    ) -> ToolOutput<LsDetails> {
        let _ = (path, limit);
        ToolOutput::text("").with_details(LsDetails::default())
    }

    assert_eq!(found(Edit, &[]), ["edits.*.newText: it is required in the built-in `edit`"]);
    assert_eq!(found(List, &[]), ["limit: the built-in `ls` takes any number, not 1 to 5"]);
}

/// Fields of one name in two variants may be told in two ways.
#[tokio::test]
async fn variants_keep_what_each_says() {
    #[derive(Deserialize, JsonSchema)]
    #[serde(tag = "action", rename_all = "lowercase")]
    enum Command {
        Add {
            /// The new text.
            text: String,
            /// How often.
            count: Option<u64>,
        },
        Done {
            /// Part of the text.
            text: String,
        },
        List,
    }

    /// Manage a list.
    #[pi_tool(handle = Manage, register = false)]
    async fn manage(#[arg(flatten)] command: Command) -> String {
        match command {
            Command::Add { text, count } => format!("add {text} {count:?}"),
            Command::Done { text } => format!("done {text}"),
            Command::List => "list".to_owned(),
        }
    }

    let toolbox = toolbox(Manage);
    let schema = toolbox.get("manage").unwrap().parameters().unwrap().schema();
    assert_eq!(schema["properties"]["text"]["description"], "add: The new text.\ndone: Part of the text.");
    let call = async |arguments: Value| toolbox.call("manage", arguments).await.to_text();
    // Fields of other variants are dropped before anything is checked.
    assert_eq!(call(json!({ "action": "list", "text": 5, "count": "x" })).await, "list");
    assert_eq!(call(json!({ "action": "add", "text": "tea", "count": null })).await, "add tea None");
    assert_eq!(call(json!({ "action": "add", "text": "tea", "count": 5.0 })).await, "add tea Some(5)");
    let text = call(json!({ "action": "done" })).await;
    assert!(text.contains("  - text: required when action is \"done\"\n"), "{text}");
    let text = call(json!({ "action": "add", "text": "tea", "count": 1e20 })).await;
    assert!(text.contains("  - count: expected <= 18446744073709551615\n"), "{text}");
}

#[test]
fn earlier_manifests_are_compared_with_what_is_enforced() {
    #[derive(Deserialize, JsonSchema)]
    #[serde(tag = "action", rename_all = "lowercase")]
    enum Command {
        /// Add.
        Add {
            /// The text.
            text: String,
        },
        /// List.
        List,
    }

    /// Manage a list.
    #[pi_tool(handle = Manage, name = "manage", register = false)]
    async fn manage(#[arg(flatten)] command: Command) -> String {
        match command {
            Command::Add { text } => text,
            Command::List => String::new(),
        }
    }

    let toolbox = toolbox(Manage);
    let then = json!({
        "type": "object",
        "properties": { "action": { "type": "string", "enum": ["add", "list"] }, "text": { "type": "string" } },
        "required": ["action"],
        "additionalProperties": false,
    });
    let breaks = |variants: Value, prepare: Value| {
        let mut tool = json!({ "name": "manage", "parameters": then, "enforced": then, "prepare": prepare });
        if !variants.is_null() {
            tool["variants"] = variants;
        }
        let result = toolbox.check_against(&json!({ "tools": [tool] }));
        result.err().map(|error| error.problems().to_vec()).unwrap_or_default()
    };
    let required =
        |names: &[&str]| json!({ "tag": "action", "variants": [{ "value": "add", "required": names, "fields": [] }] });
    assert_eq!(breaks(required(&["text"]), Value::Null), [""; 0]);
    let now = ["tool `manage`: text: is required now when action is \"add\""];
    assert_eq!(breaks(required(&[]), Value::Null), now);
    // It was no tagged enum then.
    assert_eq!(breaks(Value::Null, Value::Null), now);
    assert_eq!(
        breaks(required(&["text"]), json!({ "renames": [{ "from": "old", "to": "text" }] })),
        ["tool `manage`: old: is no alias any more"]
    );
}

#[test]
fn links_of_rustdoc_do_not_reach_the_model() {
    /// How a [`Take`] goes, see [the docs](https://example.com).
    #[derive(Clone, Copy, StringEnum)]
    enum Way {
        /// As [`Way::Other`] but [faster](crate::schemas).
        Quick,
        Other,
    }

    /// Change a [`Take`] as [`Entry`] says.
    ///
    /// [`Entry`]: crate::schemas::enforced::Entry
    #[pi_tool(handle = Linked, register = false)]
    fn linked(
        /// The [`Way`], [0, 1].
        way: Way,
        /// An [`Entry::stars`].
        stars: u8,
    ) {
        let _ = (way, stars);
    }

    let toolbox = toolbox(Linked);
    let tool = toolbox.get("linked").unwrap();
    assert_eq!(tool.description(), "Change a Take as Entry says.");
    let properties = &tool.parameters().unwrap().schema()["properties"];
    assert_eq!(properties["way"]["description"], "The Way, [0, 1].\nquick: As Way::Other but faster.");
    assert_eq!(properties["stars"]["description"], "An Entry::stars.");
    let declared = toolbox.declarations(Dialect::Anthropic).unwrap().to_value();
    assert_eq!(declared[0]["description"], "Change a Take as Entry says.");
}
