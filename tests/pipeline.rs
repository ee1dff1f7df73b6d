//! What arguments go through before a tool sees them: the short way and the long one, and what nobody would send.

use std::collections::BTreeMap;

use pi_tools::prelude::*;
use pi_tools::schemars::{self, JsonSchema};
use pi_tools::{IntoTool, validate_arguments};
use pi_tools_tests::random::Random;
use serde_json::{Map, Value, json};

/// Arguments as they are: a tool with a `prepare` goes the long way with every call.
fn unchanged(arguments: Value) -> Value {
    arguments
}

/// How to do it.
#[derive(Clone, Copy, Debug, StringEnum)]
enum Mode {
    #[string_enum(alias = "quick")]
    Fast,
    Slow,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "the fields are printed, which does not count")]
struct Filter {
    name: String,
    #[serde(default)]
    most: u16,
    inner: Option<Box<Filter>>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "the fields are printed, which does not count")]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Shape {
    Circle { radius: f64 },
    Named { name: Option<String>, tags: Vec<String> },
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "the fields are printed, which does not count")]
#[serde(untagged)]
enum Either {
    Number(i64),
    Text(String),
}

/// Closed, and with a string enum: its decoder is asked whether it holds to that.
#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "the fields are printed, which does not count")]
#[serde(deny_unknown_fields)]
struct Order {
    name: String,
    #[serde(default)]
    most: u16,
    mode: Option<Mode>,
    parts: Option<Vec<Part>>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "the fields are printed, which does not count")]
#[serde(deny_unknown_fields)]
struct Part {
    name: Option<String>,
    mode: Mode,
}

/// Closed by its schema alone.
#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "the fields are printed, which does not count")]
#[schemars(deny_unknown_fields)]
struct Loose {
    name: Option<String>,
    #[schemars(with = "Option<Mode>")]
    mode: Option<String>,
}

/// One function, as a tool that decodes at once and as one that goes the long way.
macro_rules! both {
    ($fast:ident $slow:ident $name:ident $slow_name:ident ($($arg:ident: $ty:ty),*)) => {
        /// Take arguments.
        #[pi_tool(handle = $fast, name = "take", register = false)]
        async fn $name($(#[doc = "One of them."] $arg: $ty),*) -> String {
            format!("{:?}", ($($arg,)*))
        }

        /// Take arguments.
        #[pi_tool(handle = $slow, name = "take", register = false, prepare = unchanged)]
        async fn $slow_name($(#[doc = "One of them."] $arg: $ty),*) -> String {
            $name($($arg),*).await
        }
    };
}

both! { Plain PlainLong plain plain_long (a: u32, b: String, c: Option<bool>, d: f64) }
both! { Lists ListsLong lists lists_long (a: Vec<i64>, b: Option<Vec<Mode>>, c: BTreeMap<String, u8>) }
both! { Structs StructsLong structs structs_long (a: Filter, b: Option<Filter>) }
both! { Closed ClosedLong closed closed_long (a: Order, b: Option<Part>, c: Option<BTreeMap<String, Part>>) }
both! { Loosely LooselyLong loosely loosely_long (a: Loose, b: Option<Mode>) }
both! { Unions UnionsLong unions unions_long (a: Shape, b: Option<Either>, c: Option<Value>) }

fn toolbox(tool: impl IntoTool) -> Toolbox {
    Toolbox::builder().tool(tool).build().unwrap()
}

/// A value that may be an argument, or something like it.
fn value(random: &mut Random, depth: usize) -> Value {
    match random.below(if depth > 3 { 16 } else { 26 }) {
        0 => Value::Null,
        1 => json!(true),
        2 => json!(7),
        3 => json!(-1),
        4 => json!(300),
        5 => json!(5.0),
        6 => json!(2.5),
        7 => json!("7"),
        8 => json!("text"),
        9 => json!("fast"),
        10 => json!("quick"),
        11 => json!(""),
        12 => json!(u64::MAX),
        13 => json!("true"),
        14 => json!("null"),
        15 => json!({}),
        16..=18 => (0..random.below(3)).map(|_| value(random, depth + 1)).collect(),
        19 => json!({ "kind": "circle", "radius": value(random, depth + 1) }),
        20 => json!({ "kind": "named", "name": value(random, depth + 1), "tags": value(random, depth + 1) }),
        21 => json!({ "name": "n", "most": value(random, depth + 1), "inner": value(random, depth + 1) }),
        22 => json!({ "name": "n", "mode": value(random, depth + 1), "parts": [value(random, depth + 1)] }),
        23 => json!({ "mode": random.one_of(&["fast", "quick", "slow", "loud"]), "name": value(random, depth + 1) }),
        _ => object(random, &["name", "most", "x"], depth),
    }
}

fn object(random: &mut Random, names: &[&str], depth: usize) -> Value {
    let mut map = Map::new();
    for name in names {
        if random.below(4) > 0 {
            map.insert((*name).to_owned(), value(random, depth + 1));
        }
    }
    map.into()
}

/// What serde's derives take for more than it says: a list for a struct, an object for a variant without data.
fn is_lenient(value: &Value) -> bool {
    match value {
        Value::Array(_) => true,
        Value::Object(map) => map.values().any(is_lenient),
        _ => false,
    }
}

#[tokio::test]
async fn the_short_way_and_the_long_one_agree() {
    let pairs = [
        (toolbox(Plain), toolbox(PlainLong), json!({ "a": 1, "b": "text", "c": true, "d": 0.5 })),
        (toolbox(Lists), toolbox(ListsLong), json!({ "a": [1, 2], "b": ["fast"], "c": { "k": 1 } })),
        (toolbox(Structs), toolbox(StructsLong), json!({ "a": { "name": "n", "inner": { "name": "m" } } })),
        (
            toolbox(Closed),
            toolbox(ClosedLong),
            json!({ "a": { "name": "n", "mode": "fast", "parts": [{ "mode": "slow" }] }, "b": { "mode": "quick" } }),
        ),
        (toolbox(Loosely), toolbox(LooselyLong), json!({ "a": { "name": "n", "mode": "slow" }, "b": "fast" })),
        (toolbox(Unions), toolbox(UnionsLong), json!({ "a": { "kind": "circle", "radius": 1 }, "b": 2 })),
    ];
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (mut successes, mut errors) = (0, 0);
    for round in 0..30_000 {
        let (fast, slow, good) = &pairs[round % pairs.len()];
        let mut arguments = good.clone();
        for (_, argument) in arguments.as_object_mut().unwrap() {
            if random.below(3) == 0 {
                *argument = value(&mut random, 0);
            }
        }
        if random.below(10) == 0 {
            arguments = object(&mut random, &["a", "b", "c", "d"], 0);
        }
        if good["a"].is_object() && is_lenient(&arguments) {
            continue;
        }
        let text = arguments.to_string();
        let (fast, slow) = (fast.call("take", text.as_str()).await, slow.call("take", text.as_str()).await);
        assert_eq!(fast.to_text(), slow.to_text(), "{text}");
        assert_eq!(fast.is_error(), slow.is_error(), "{text}");
        if fast.is_error() { errors += 1 } else { successes += 1 }
    }
    assert!(successes > 300 && errors > 300, "{successes} {errors}");
}

/// The two exceptions, of which README and docs speak: decoding alone takes them.
#[tokio::test]
async fn the_two_leniencies_of_serde() {
    let list = json!({ "a": ["n", 1, null] });
    assert!(!toolbox(Structs).call("take", list.clone()).await.is_error());
    assert!(toolbox(StructsLong).call("take", list).await.is_error());
}

#[tokio::test]
async fn nothing_is_too_deep_or_too_large() {
    let toolbox = toolbox(Lists);
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let deep = format!("{{\"a\":{}1{}}}", open.repeat(10_000), close.repeat(10_000));
        let output = toolbox.call("take", deep).await;
        assert!(output.is_error() && output.to_text().contains("recursion limit"), "{:.200}", output.to_text());
    }
    let long = format!(r#"{{"a":[1],"b":null,"c":{{"{}":1}}}}"#, "k".repeat(100 << 20));
    assert!(!toolbox.call("take", long).await.is_error());
    let many: Vec<String> = (0..1_000_000).map(|index| format!("\"k{index}\":1")).collect();
    let many = format!(r#"{{"a":[],"c":{{{}}}}}"#, many.join(","));
    assert!(!toolbox.call("take", many).await.is_error());
}

/// A recursive union whose branches all refuse: each value is converted once, not once in every branch of every level.
#[test]
fn a_recursive_union_takes_no_exponential_time() {
    let schema = json!({
        "$ref": "#/$defs/Node",
        "$defs": { "Node": { "anyOf": [
            { "type": "object", "properties": { "next": { "$ref": "#/$defs/Node" }, "a": { "type": "number" } }, "required": ["a"] },
            { "type": "object", "properties": { "next": { "$ref": "#/$defs/Node" }, "b": { "type": "number" } }, "required": ["b"] },
            { "type": "object", "properties": { "next": { "$ref": "#/$defs/Node" }, "c": { "type": "number" } }, "required": ["c"] },
        ] } },
    });
    let value = (0..40).fold(json!({}), |next, _| json!({ "next": next, "a": "x" }));
    assert!(validate_arguments("walk", &schema, &value).is_err());
    // A reference to itself says nothing.
    assert!(validate_arguments("walk", &json!({ "$ref": "#" }), &json!({})).is_ok());
}

/// A tree of numbers, which `leaf` writes.
fn tree(levels: u32, number: u32, leaf: fn(u32) -> Value) -> Value {
    if levels == 0 {
        return leaf(number);
    }
    json!({ "a": tree(levels - 1, 2 * number, leaf), "b": tree(levels - 1, 2 * number + 1, leaf) })
}

/// What is remembered of one value in a union stands for no other.
#[test]
fn each_value_of_a_recursive_union_is_converted_to_its_own() {
    let schema = json!({
        "$ref": "#/$defs/Node",
        "$defs": { "Node": { "anyOf": [
            { "type": "number" },
            { "type": "object", "properties": { "a": { "$ref": "#/$defs/Node" }, "b": { "$ref": "#/$defs/Node" } }, "required": ["a", "b"] },
        ] } },
    });
    let converted = validate_arguments("walk", &schema, &tree(11, 1, |number| number.to_string().into())).unwrap();
    assert_eq!(converted, tree(11, 1, Value::from));
}

#[test]
fn a_schema_that_refers_to_itself_says_nothing() {
    let own = || json!({ "$ref": "#" });
    for (keyword, schema) in
        [("if", own()), ("not", own()), ("anyOf", json!([own()])), ("oneOf", json!([own(), own()]))]
    {
        let schema = json!({ "type": "object", "required": ["a"], keyword: schema });
        let missing = validate_arguments("loop", &schema, &json!({})).unwrap_err();
        assert!(missing.message().contains("  - a: missing\n"), "{keyword}: {missing}");
        let _ = validate_arguments("loop", &schema, &json!({ "a": { "a": 1 } }));
    }
}
