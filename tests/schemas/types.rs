//! Every type that a parameter may have: what the schema accepts decodes, and what decodes the schema accepts.
#![expect(dead_code, reason = "the fields are decoded, and nobody reads them")]

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::num::{NonZeroI32, NonZeroU8, NonZeroU64};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use pi_tools::prelude::*;
use pi_tools::schema::Dialect;
use pi_tools::schemars::{self, JsonSchema};
use serde_json::{Value, json};

/// A tool for each type, and the toolbox of them all.
macro_rules! tools {
    ($toolbox:ident: $($handle:ident, $name:ident: $ty:ty;)*) => {
        $(
            /// Take a value.
            #[pi_tool(handle = $handle, register = false)]
            async fn $name(
                /// The value.
                value: $ty,
            ) -> String {
                let _ = value;
                String::new()
            }
        )*

        fn $toolbox() -> Toolbox {
            Toolbox::builder()$(.tool($handle))*.build().unwrap()
        }
    };
}

/// What to do.
#[derive(Clone, Copy, StringEnum)]
enum Action {
    /// Show it.
    #[string_enum(alias = "display")]
    Show,
    Hide,
}

/// A unit enum of serde.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Level {
    /// Not much.
    VeryLow,
    High,
}

/// Fields, some with a default.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Filter {
    /// Part of a name.
    name_part: String,
    /// At most.
    #[serde(default = "ten")]
    most: u16,
    level: Option<Level>,
    #[serde(default)]
    tags: Vec<String>,
}

fn ten() -> u16 {
    10
}

/// Another struct's fields among its own.
#[derive(Deserialize, JsonSchema)]
struct Flat {
    id: u32,
    #[serde(flatten)]
    point: Point,
}

#[derive(Deserialize, JsonSchema)]
struct Point {
    x: f64,
    y: Option<f64>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Shape {
    /// Round.
    Circle {
        radius: f64,
    },
    Polygon {
        points: Vec<Point>,
        closed: Option<bool>,
    },
    Nothing,
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "kind", content = "data")]
enum Adjacent {
    Number(i32),
    Nothing,
}

#[derive(Deserialize, JsonSchema)]
enum External {
    Number(i32),
    Both(i32, String),
    Named { a: bool },
    Nothing,
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
enum Untagged {
    Number(u64),
    Text(String),
    Named { name: String },
}

#[derive(Deserialize, JsonSchema)]
struct Newtype(u8);

#[derive(Deserialize, JsonSchema)]
#[serde(transparent)]
struct Transparent {
    inner: Vec<u8>,
}

#[derive(Deserialize, JsonSchema)]
struct Generic<T> {
    item: T,
    others: Vec<T>,
}

#[derive(Deserialize, JsonSchema)]
struct Unit;

#[derive(Deserialize, JsonSchema)]
struct Pair(i32, String);

/// With schemars' own constraints.
#[derive(Deserialize, JsonSchema)]
struct Constrained {
    #[schemars(range(min = 1, max = 5))]
    stars: u8,
    #[schemars(length(min = 1), regex(pattern = "^[a-z ]*$"))]
    text: String,
    #[schemars(email)]
    mail: Option<String>,
}

/// A type of another crate, as serde's `with` decodes it.
#[derive(Deserialize, JsonSchema)]
struct Remote {
    #[serde(with = "time::serde::rfc3339")]
    #[schemars(with = "chrono::DateTime<chrono::Utc>")]
    at: time::OffsetDateTime,
}

#[derive(Deserialize, JsonSchema)]
struct Tree {
    name: String,
    children: Vec<Tree>,
    /// What it is grafted on.
    stock: Option<Box<Tree>>,
}

tools! { everywhere:
    Bool, a_bool: bool;
    I8, an_i8: i8;
    I16, an_i16: i16;
    I32, an_i32: i32;
    I64, an_i64: i64;
    Isize, an_isize: isize;
    U8, a_u8: u8;
    U16, a_u16: u16;
    U32, a_u32: u32;
    U64, a_u64: u64;
    Usize, a_usize: usize;
    F32, an_f32: f32;
    F64, an_f64: f64;
    Char, a_char: char;
    Text, a_string: String;
    BoxStr, a_box_str: Box<str>;
    CowStr, a_cow: Cow<'static, str>;
    Path, a_path: PathBuf;
    Time, a_duration: Duration;
    NonZero, a_non_zero: NonZeroU8;
    NonZeroSigned, a_signed_non_zero: NonZeroI32;
    NonZeroWide, a_wide_non_zero: NonZeroU64;
    Optional, an_option: Option<u8>;
    OptionalStruct, an_optional_struct: Option<Filter>;
    Boxed, a_box: Box<Filter>;
    Counted, an_arc: Arc<Level>;
    List, a_list: Vec<i32>;
    Deque, a_deque: VecDeque<Action>;
    Set, a_set: BTreeSet<u8>;
    Hashed, a_hash_set: HashSet<String>;
    Fixed, an_array: [i16; 3];
    Tuple, a_tuple: (String, u8, bool);
    Alike, a_tuple_of_one_type: (f64, f64);
    Places, a_list_of_tuples: Vec<(String, i64)>;
    Ip, an_ip: IpAddr;
    Ip4, an_ip4: Ipv4Addr;
    Ip6, an_ip6: Ipv6Addr;
    Words, words: Action;
    Levels, levels: Level;
    Struct, a_struct: Filter;
    Flattened, a_flattened_field: Flat;
    Coordinates, a_point: Point;
    Tagged, a_tagged_enum: Shape;
    TaggedList, tagged_enums: Vec<Shape>;
    Adjacently, an_adjacent_enum: Adjacent;
    Externally, an_external_enum: External;
    Alternatives, an_untagged_enum: Untagged;
    New, a_newtype: Newtype;
    Through, a_transparent: Transparent;
    OfType, a_generic: Generic<Level>;
    Positions, a_tuple_struct: Pair;
    Limited, a_constrained_struct: Constrained;
    Elsewhere, a_remote_type: Remote;
    ChronoDate, a_chrono_date: chrono::NaiveDate;
    ChronoTime, a_chrono_time: chrono::DateTime<chrono::Utc>;
    JiffTime, a_jiff_time: jiff::Timestamp;
    JiffDate, a_jiff_date: jiff::civil::Date;
    Uuid, a_uuid: uuid::Uuid;
    Url, a_url: url::Url;
    Bytes, some_bytes: bytes::Bytes;
}

tools! { maps:
    Map, a_map: BTreeMap<String, u8>;
    HashedMap, a_hash_map: HashMap<String, Filter>;
    Numbered, a_map_of_numbers: BTreeMap<u32, String>;
    Signed, a_map_of_signed_numbers: HashMap<i8, bool>;
    Anything, a_value: Value;
}

tools! { refused:
    Recursive, a_tree: Tree;
    Nothing, a_unit_struct: Option<Unit>;
}

#[test]
fn every_type_agrees_with_its_schema() {
    everywhere().check(&Dialect::ALL).unwrap();
    maps().check(&Dialect::ALL).unwrap();
}

#[test]
fn what_a_dialect_cannot_express_is_an_error_with_a_way_out() {
    let error = refused().check(&[Dialect::Google]).unwrap_err().to_string();
    let lines: Vec<&str> = error.lines().map(|line| line.split_once("): ").unwrap().1).collect();
    assert!(error.starts_with("tool `a_tree` (tests/schemas/types.rs:"), "{error}");
    assert_eq!(
        lines,
        [
            "it has no schema for google: value.children.*: the type contains itself: give it a fixed depth",
            "it has no schema for google: value: a value that can only be null has no type here: leave the field out",
        ]
    );
    let error = refused().declarations(Dialect::Google).unwrap_err().to_string();
    assert!(error.contains("the type contains itself"), "{error}");
    let others: Vec<_> = Dialect::ALL.into_iter().filter(|dialect| *dialect != Dialect::Google).collect();
    refused().check(&others).unwrap();
}

/// A schema of every tool in every dialect is JSON Schema, and an object.
#[test]
fn every_schema_is_valid() {
    let mut count = 0;
    for toolbox in [everywhere(), maps(), refused()] {
        for (tool, dialect) in toolbox.tools().flat_map(|tool| Dialect::ALL.map(|dialect| (tool, dialect))) {
            let Ok((schema, _)) = tool.schema(dialect) else { continue };
            jsonschema::draft202012::meta::validate(&schema).unwrap();
            assert_eq!(schema["type"], "object");
            count += 1;
        }
    }
    assert!(count > 300, "{count}");
}

/// What a model reads names no type of Rust.
#[test]
fn no_name_of_a_type_leaks() {
    for toolbox in [everywhere(), maps()] {
        for tool in toolbox.tools() {
            let schema = tool.parameters().unwrap().schema().to_string();
            for name in [
                "Filter", "Level", "Shape", "Point", "Generic", "Adjacent", "External", "Untagged", "Pair", "Tree",
                "Uuid",
            ] {
                assert!(!schema.contains(name), "{name} in {schema}");
            }
            for keyword in ["$ref", "$defs", "$schema", "title", "oneOf", "allOf", "const", "uint", "double"] {
                assert!(!schema.contains(&format!("\"{keyword}")), "{keyword} in {schema}");
            }
        }
    }
}

/// A reference has no place for a description.
#[test]
fn docs_of_a_recursive_type_arrive() {
    let toolbox = refused();
    let schema = toolbox.get("a_tree").unwrap().parameters().unwrap().schema();
    let value = &schema["properties"]["value"];
    assert_eq!(value["description"], "The value.\nstock: What it is grafted on.");
    assert_eq!(value["properties"]["stock"], json!({ "$ref": "#/$defs/Tree" }));
    assert_eq!(schema["$defs"]["Tree"]["description"], "stock: What it is grafted on.");
}

async fn call(toolbox: &Toolbox, name: &str, value: Value) -> String {
    toolbox.call(name, json!({ "value": value })).await.to_text()
}

/// Serde's derives take a list for a struct: where nothing else must be checked, so does a call.
#[tokio::test]
async fn leniencies_of_serde() {
    let toolbox = everywhere();
    assert_eq!(call(&toolbox, "a_point", json!([0.5, null])).await, "");
    // A choice of words is checked, so an object for a word is refused.
    assert!(call(&toolbox, "levels", json!({ "high": null })).await.contains("value: expected string, got object"));
    // With a constraint anywhere among the arguments, the check comes first.
    let refused = call(&toolbox, "a_constrained_struct", json!([3, "text", null])).await;
    assert!(refused.contains("value: expected object, got array"), "{refused}");
}

/// A type that is not `Send` may be an argument of a tool that blocks.
#[test]
fn an_rc_is_a_type() {
    /// Take a value.
    #[pi_tool(handle = Shared, register = false)]
    fn shared(
        /// The value.
        #[serde(deserialize_with = "shared_text")]
        #[schemars(with = "String")]
        value: Arc<str>,
    ) -> String {
        value.to_string()
    }

    fn shared_text<'de, D: pi_tools::serde::Deserializer<'de>>(value: D) -> Result<Arc<str>, D::Error> {
        let text: Rc<str> = String::deserialize(value)?.into();
        Ok(Arc::from(&*text))
    }

    Toolbox::builder().tool(Shared).build().unwrap().check(&Dialect::ALL).unwrap();
}
