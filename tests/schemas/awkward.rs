//! Types and attributes that make schemas difficult: recursion, unions beside fields, attributes that say other things than
//! the types.
#![expect(dead_code, reason = "the fields are decoded, and nobody reads them")]

use std::time::{Duration, Instant};

use pi_tools::prelude::*;
use pi_tools::schema::Dialect;
use pi_tools::schemars::{self, JsonSchema};
use serde_json::{Value, json};

/// A tool for each type.
macro_rules! tools {
    ($($handle:ident, $name:ident: $(#[$attribute:meta])* $ty:ty;)*) => {
        $(
            /// Take a value.
            #[pi_tool(handle = $handle, register = false)]
            async fn $name(
                /// The value.
                $(#[$attribute])*
                value: $ty,
            ) -> String {
                let _ = value;
                "taken".to_owned()
            }
        )*

        fn toolbox() -> Toolbox {
            Toolbox::builder()$(.tool($handle))*.build().unwrap()
        }
    };
}

#[derive(Clone, Copy, StringEnum)]
enum Mode {
    Fast,
    Slow,
}

/// A formula.
#[derive(Deserialize, JsonSchema)]
#[serde(tag = "op", rename_all = "lowercase")]
enum Expr {
    Num {
        #[schemars(range(min = 0.0))]
        value: f64,
    },
    Add {
        left: Box<Expr>,
        right: Box<Expr>,
    },
    Mul {
        left: Box<Expr>,
        right: Box<Expr>,
    },
}

/// Its fields are called like keywords.
#[derive(Deserialize, JsonSchema)]
struct Keywords {
    definitions: Vec<Keywords>,
    properties: Option<Box<Keywords>>,
    #[serde(rename = "anyOf", default)]
    any_of: u8,
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "kind")]
enum Kind {
    /// A file.
    File {
        path: String,
    },
    Web {
        url: String,
    },
}

#[derive(Deserialize, JsonSchema)]
struct Host {
    id: u32,
    #[serde(flatten)]
    kind: Kind,
}

#[derive(Deserialize, JsonSchema)]
struct Größe {
    breite: u8,
    #[serde(default)]
    innen: Vec<Größe>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
enum First {
    A {
        a: Box<Second>,
    },
    B {
        a: Box<First>,
        #[schemars(length(max = 3))]
        s: Option<String>,
    },
    Leaf(u8),
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
enum Second {
    A { a: Box<First> },
    B { a: Box<Second> },
    List(Vec<First>),
    Leaf(u8),
}

#[derive(Deserialize, JsonSchema)]
struct Bounds {
    #[schemars(extend("anyOf" = [{ "minimum": 5 }, { "maximum": 2 }]))]
    c: u8,
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "k", deny_unknown_fields)]
enum Closed {
    A { v: u8 },
    B,
}

macro_rules! connected {
    ($($name:ident)*) => {$(
        /// One of many that hold each other.
        #[derive(Deserialize, JsonSchema)]
        struct $name {
            /// One.
            a: Option<Box<N0>>,
            /// Another.
            b: Option<Box<N1>>,
            /// Another.
            c: Option<Box<N2>>,
            /// Another.
            d: Option<Box<N3>>,
            /// Another.
            e: Option<Box<N4>>,
            /// Another.
            f: Option<Box<N5>>,
            /// Another.
            g: Option<Box<N6>>,
        }
    )*};
}

connected!(N0 N1 N2 N3 N4 N5 N6);

tools! {
    Calculate, calc: Expr;
    Named, keywords: Keywords;
    Flat, host: Host;
    Umlaut, umlaut: Größe;
    Mutual, mutual: First;
    Alternative, bounds: Bounds;
    Strict, closed: Closed;
    Connected, connected: N0;
    Choice, choice: #[schemars(with = "Mode")] String;
    Choices, choices: #[schemars(with = "Vec<Mode>")] Vec<String>;
    Extended, extended: #[schemars(extend("enum" = ["a", "b"]))] String;
    Constant, constant: #[schemars(extend("const" = "x"))] String;
    Excluded, excluded: #[schemars(extend("not" = { "const": "x" }))] String;
    Texts, few: #[schemars(extend("contains" = { "const": "x" }))] Vec<String>;
}

/// Each refuses these values, and takes those.
#[tokio::test]
async fn what_is_said_is_enforced() {
    let toolbox = toolbox();
    let expression =
        json!({ "op": "add", "left": { "op": "num", "value": 1 }, "right": { "op": "num", "value": 2.5 } });
    for (tool, taken, refused) in [
        ("calc", expression, json!({ "op": "num", "value": -1 })),
        ("keywords", json!({ "definitions": [{ "definitions": [] }], "anyOf": null }), json!({ "definitions": [{}] })),
        ("host", json!({ "id": 1, "kind": "Web", "url": "a" }), json!({ "kind": "Web", "url": "a" })),
        ("umlaut", json!({ "breite": 1, "innen": [{ "breite": 2, "innen": null }] }), json!({ "breite": 256 })),
        ("mutual", json!({ "a": { "a": [1] } }), json!({ "a": "x" })),
        ("bounds", json!({ "c": 7 }), json!({ "c": 3 })),
        ("closed", json!({ "k": "B" }), json!({ "k": "A", "v": 1, "w": 2 })),
        ("choice", json!("fast"), json!("zz")),
        ("choices", json!(["fast"]), json!(["zz"])),
        ("extended", json!("a"), json!("c")),
        ("constant", json!("x"), json!("y")),
        ("excluded", json!("y"), json!("x")),
        ("few", json!(["x", "y"]), json!(["y"])),
    ] {
        let call = async |value: &Value| toolbox.call(tool, json!({ "value": value })).await;
        assert_eq!(call(&taken).await.to_text(), "taken", "{tool} {taken}");
        let output = call(&refused).await;
        assert!(output.to_text().starts_with("Validation failed"), "{tool} {refused}: {}", output.to_text());
    }
}

/// No check takes for ever, and none finds what is right wrong.
#[test]
fn every_check_ends_and_finds_nothing() {
    let start = Instant::now();
    toolbox().check(&[Dialect::Portable, Dialect::OpenAi, Dialect::Anthropic]).unwrap();
    assert!(start.elapsed() < Duration::from_secs(120), "{:?}", start.elapsed());
}

#[test]
fn schemas_do_not_grow_with_what_holds_what() {
    let toolbox = toolbox();
    for name in ["calc", "keywords", "mutual", "connected", "umlaut"] {
        let length = toolbox.get(name).unwrap().parameters().unwrap().schema().to_string().len();
        assert!(length < 20_000, "{name}: {length}");
    }
    let schema = toolbox.get("umlaut").unwrap().parameters().unwrap().schema().to_string();
    assert!(schema.contains("\"$ref\":\"#/$defs/Gr__e\""), "{schema}");
}

#[test]
fn fields_beside_an_enum_are_in_each_branch() {
    let toolbox = toolbox();
    let schema = &toolbox.get("host").unwrap().parameters().unwrap().schema()["properties"]["value"];
    let descriptions: Vec<&str> =
        schema["anyOf"].as_array().unwrap().iter().filter_map(|branch| branch["description"].as_str()).collect();
    assert_eq!(descriptions, ["The value. A file.", "The value."]);
    for branch in schema["anyOf"].as_array().unwrap() {
        assert_eq!(branch["properties"]["id"]["type"], "integer");
        assert!(branch["required"].as_array().unwrap().contains(&json!("id")));
    }
}

/// A model cannot keep a call busy by the depth of its arguments.
#[tokio::test]
async fn deep_arguments_take_no_exponential_time() {
    let toolbox = toolbox();
    let start = Instant::now();
    let sum = |leaf: Value| {
        (0..30).fold(leaf, |left, _| json!({ "op": "add", "left": left, "right": { "op": "num", "value": 1 } }))
    };
    assert!(!toolbox.call("calc", json!({ "value": sum(json!({ "op": "num", "value": 1 })) })).await.is_error());
    assert!(toolbox.call("calc", json!({ "value": sum(json!({ "op": "num", "value": "x" })) })).await.is_error());
    let mutual = (0..24).fold(json!(1), |inner, _| json!({ "a": inner }));
    assert!(!toolbox.call("mutual", json!({ "value": mutual })).await.is_error());
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
}

/// Types that hold each other are compared once each.
#[test]
fn comparing_ends() {
    let toolbox = toolbox();
    let tools: Vec<Value> = ["connected", "mutual", "calc"]
        .iter()
        .map(|name| json!({ "name": name, "parameters": toolbox.get(name).unwrap().parameters().unwrap().schema() }))
        .collect();
    let start = Instant::now();
    let _ = toolbox.check_against(&json!({ "tools": tools }));
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
}

/// A tool that cannot be published cannot be called past its constraints.
#[tokio::test]
async fn what_has_no_schema_does_not_run() {
    #[derive(Deserialize, JsonSchema)]
    struct Two {
        #[serde(flatten)]
        one: Kind,
        #[serde(flatten)]
        other: Closed,
    }

    /// Take two.
    #[pi_tool(handle = Both, register = false)]
    async fn both(
        /// Two enums in one.
        value: Two,
    ) -> String {
        let _ = value;
        "taken".to_owned()
    }

    let toolbox = Toolbox::builder().tool(Both).build().unwrap();
    let error = toolbox.check(&Dialect::ALL).unwrap_err();
    assert_eq!(error.problems().len(), 1, "{error}");
    assert!(error.to_string().contains("two flattened enums are two"), "{error}");
    let output = toolbox.call("both", json!({ "value": { "kind": "Web", "url": "a", "k": "B" } })).await;
    assert!(output.is_error() && output.to_text().contains("two flattened enums"), "{}", output.to_text());
}
