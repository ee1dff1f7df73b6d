//! Types that hold to their schema by themselves are decoded as they come; where it is the schema alone that closes
//! something, all is checked.
#![expect(dead_code, reason = "the fields are decoded, and nobody reads them")]

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Mutex;

use pi_tools::prelude::*;
use pi_tools::schemars::{self, JsonSchema};
use pi_tools::serde::Deserializer;
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// The text that it was decoded from: as it came, or as the check wrote it again.
#[derive(Deserialize)]
struct Verbatim(Box<RawValue>);

impl JsonSchema for Verbatim {
    fn schema_name() -> Cow<'static, str> {
        "Verbatim".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        true.into()
    }
}

/// A tool for each type, which tells what text it got beside the value.
macro_rules! tools {
    ($($handle:ident, $name:ident: $(#[$attribute:meta])* $ty:ty;)*) => {
        $(
            /// Take a value.
            #[pi_tool(handle = $handle, register = false)]
            async fn $name(
                /// The value.
                $(#[$attribute])*
                value: $ty,
                /// Anything.
                text: Verbatim,
            ) -> String {
                let _ = value;
                text.0.get().to_owned()
            }
        )*

        fn toolbox() -> Toolbox {
            Toolbox::builder()$(.tool($handle))*.build().unwrap()
        }
    };
}

#[derive(Clone, Copy, Default, StringEnum)]
enum Mode {
    #[default]
    #[string_enum(alias = "quick")]
    Fast,
    Slow,
}

#[derive(StringEnum)]
enum More {
    #[string_enum(alias = "quick")]
    Fast,
    Slow,
    Loud,
}

#[derive(StringEnum)]
enum OtherAliases {
    #[string_enum(alias = "rapid")]
    Fast,
    Slow,
}

/// Serde takes an object for a variant.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Plain {
    #[serde(alias = "quick")]
    Fast,
    Slow,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Empty {}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct One {
    #[serde(rename = "the \"name\"")]
    name: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Two {
    #[serde(default)]
    mode: Mode,
    one: Option<Box<One>>,
}

#[derive(Deserialize, JsonSchema)]
struct Wrapped(Two);

#[derive(Deserialize, JsonSchema)]
struct Nested {
    two: Two,
    number: Option<u8>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Whole {
    empty: Option<Empty>,
    two: Option<Two>,
    all_of_them: Option<Vec<Two>>,
    by_name: Option<BTreeMap<String, Wrapped>>,
    places: Option<(String, One, Nested, Option<Mode>, u8)>,
    modes: Option<Vec<Option<Mode>>>,
    either: Option<Vec<Option<Two>>>,
}

#[derive(Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct OnlySaid {
    a: Option<u8>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Hidden {
    a: Option<u8>,
    #[schemars(skip)]
    #[serde(default)]
    b: u8,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Aliased {
    #[serde(alias = "b")]
    a: u8,
}

/// The same definition twice: of the type itself, and of one that takes more.
#[derive(Deserialize, JsonSchema)]
struct Twice {
    one: Option<One>,
    #[schemars(with = "Option<One>")]
    other: Value,
}

fn lenient_mode<'de, D: Deserializer<'de>>(value: D) -> Result<Mode, D::Error> {
    let text = String::deserialize(value)?;
    if text == "old" { Ok(Mode::Slow) } else { Mode::deserialize(Value::from(text)).map_err(serde::de::Error::custom) }
}

#[expect(clippy::unnecessary_wraps, reason = "serde asks for it")]
fn forgiving_mode<'de, D: Deserializer<'de>>(value: D) -> Result<Mode, D::Error> {
    Ok(Mode::deserialize(value).unwrap_or_default())
}

fn lenient_one<'de, D: Deserializer<'de>>(value: D) -> Result<One, D::Error> {
    let mut value = Value::deserialize(value)?;
    if let Some(map) = value.as_object_mut() {
        map.remove("old");
    }
    One::deserialize(value).map_err(serde::de::Error::custom)
}

#[derive(Deserialize, JsonSchema)]
struct Lenient {
    #[serde(default, deserialize_with = "lenient_mode")]
    mode: Mode,
    #[serde(default, deserialize_with = "forgiving_mode")]
    forgiving: Mode,
}

#[derive(Deserialize, JsonSchema)]
struct Legacy {
    #[serde(deserialize_with = "lenient_one")]
    one: One,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Flat {
    #[serde(flatten)]
    only_said: OnlySaid,
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
enum Either {
    One(One),
    Said(OnlySaid),
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Variant {
    One { one: One },
    Said { said: OnlySaid },
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct List {
    #[schemars(with = "u8")]
    first: Option<Value>,
    rest: Option<Box<List>>,
}

/// It cannot cope with what it does not know.
struct Panics;

impl<'de> Deserialize<'de> for Panics {
    fn deserialize<D: Deserializer<'de>>(value: D) -> Result<Self, D::Error> {
        let text = String::deserialize(value)?;
        assert_eq!(text, "fast");
        Ok(Self)
    }
}

impl JsonSchema for Panics {
    fn schema_name() -> Cow<'static, str> {
        "Panics".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        Mode::json_schema(generator)
    }
}

tools! {
    AWord, word: Mode;
    Words, words: Vec<Mode>;
    Optional, optional: Option<Mode>;
    Defaulting, defaulting: #[serde(default)] Mode;
    Closed, closed: Two;
    Inside, inside: Whole;
    Maps, maps: BTreeMap<String, One>;
    Commented, commented: #[schemars(title = "Two")] Vec<Two>;

    Said, said: OnlySaid;
    SaidInside, said_inside: Vec<Option<OnlySaid>>;
    Text, text: #[schemars(with = "Mode")] String;
    Texts, texts: #[schemars(with = "BTreeMap<String, Mode>")] BTreeMap<String, String>;
    Larger, larger: #[schemars(with = "Mode")] More;
    Spelled, spelled: #[schemars(with = "Mode")] OtherAliases;
    Serdes, serdes: #[schemars(with = "Mode")] Plain;
    Fewer, fewer: #[schemars(extend("enum" = ["fast"]))] Mode;
    SkippedField, skipped_field: Hidden;
    OldField, old_field: (String, Aliased);
    InTwoWays, in_two_ways: Twice;
    Old, old: Lenient;
    OldWord, old_word: #[serde(deserialize_with = "lenient_mode")] Mode;
    Cleaned, cleaned: Legacy;
    Flattened, flattened: Flat;
    Alternative, alternative: Either;
    OfVariant, of_variant: Variant;
    Recursive, recursive: List;
    Panicking, panicking: Panics;
}

async fn call(toolbox: &Toolbox, tool: &str, value: &Value) -> String {
    toolbox.call(tool, format!("{{\"value\": {value}, \"text\": [1,  2]}}")).await.to_text()
}

#[tokio::test]
async fn what_types_hold_to_is_decoded_as_it_comes() {
    let toolbox = toolbox();
    let whole = json!({
        "empty": {},
        "two": { "mode": "quick", "one": { "the \"name\"": "a" } },
        "allOfThem": [{ "mode": "fast" }, {}],
        "byName": { "a": { "mode": "slow", "one": {} } },
        "places": ["a", {}, { "two": {} }, null, 1],
        "modes": ["slow", null, "quick"],
        "either": [null, {}],
    });
    for (tool, taken) in [
        ("word", json!("quick")),
        ("words", json!(["fast", "slow"])),
        ("optional", json!("slow")),
        ("defaulting", json!("slow")),
        ("closed", json!({ "mode": "fast" })),
        ("inside", whole.clone()),
        ("maps", json!({ "a": {} })),
        ("commented", json!([{}])),
    ] {
        assert_eq!(call(&toolbox, tool, &taken).await, "[1,  2]", "{tool} {taken}");
    }
    for (pointer, name) in
        [("", "whole"), ("/empty", "a"), ("/two", "b"), ("/two/one", "name"), ("/byName/a/one", "x"), ("/either/1", "")]
    {
        let mut value = whole.clone();
        value.pointer_mut(pointer).unwrap()[name] = json!(1);
        let refused = call(&toolbox, "inside", &value).await;
        let path = format!("  - value{}.{name}: unknown field\n", pointer.replace('/', "."));
        assert!(refused.contains(&path), "{refused}");
    }
    for pointer in ["/two/mode", "/allOfThem/0/mode", "/byName/a/mode", "/places/3", "/modes/1"] {
        let mut value = whole.clone();
        *value.pointer_mut(pointer).unwrap() = json!("zz");
        let refused = call(&toolbox, "inside", &value).await;
        assert!(refused.starts_with("Validation failed"), "{pointer}: {refused}");
    }
}

#[tokio::test]
async fn what_only_the_schema_says_is_checked() {
    let toolbox = toolbox();
    for (tool, taken, refused) in [
        ("said", json!({ "a": 1 }), json!({ "b": 1 })),
        ("said_inside", json!([null, { "a": 1 }]), json!([{ "b": 1 }])),
        ("text", json!("fast"), json!("zz")),
        ("texts", json!({ "a": "fast" }), json!({ "a": "zz" })),
        ("larger", json!("fast"), json!("loud")),
        ("spelled", json!("fast"), json!("rapid")),
        ("serdes", json!("fast"), json!({ "fast": null })),
        ("fewer", json!("fast"), json!("slow")),
        ("skipped_field", json!({ "a": 1 }), json!({ "b": 1 })),
        ("old_field", json!(["", { "a": 1 }]), json!(["", { "b": 1 }])),
        ("in_two_ways", json!({ "other": {} }), json!({ "other": { "b": 1 } })),
        ("old", json!({ "mode": "fast" }), json!({ "mode": "old" })),
        ("old", json!({ "mode": "fast" }), json!({ "forgiving": "zz" })),
        ("old_word", json!("fast"), json!("old")),
        ("cleaned", json!({ "one": {} }), json!({ "one": { "old": 1 } })),
        ("flattened", json!({ "a": 1 }), json!({ "b": 1 })),
        ("alternative", json!({ "a": 1 }), json!({ "b": 1 })),
        ("of_variant", json!({ "said": { "said": { "a": 1 } } }), json!({ "said": { "said": { "b": 1 } } })),
        ("recursive", json!({ "first": 1, "rest": {"first": 2} }), json!({ "first": 1, "rest": {"first": 2, "b": 1} })),
        ("panicking", json!("fast"), json!("zz")),
    ] {
        assert_eq!(call(&toolbox, tool, &taken).await, "[1,2]", "{tool} {taken}");
        let output = call(&toolbox, tool, &refused).await;
        assert!(output.starts_with("Validation failed"), "{tool} {refused}: {output}");
    }
}

/// Whoever lists tools asks nothing, and a type is asked once.
#[tokio::test]
async fn types_are_asked_at_the_first_call() {
    /// Take a value.
    #[pi_tool(handle = Asked, register = false)]
    async fn asked(
        /// The value.
        value: Counted,
    ) -> String {
        let _ = value;
        "taken".to_owned()
    }

    static COUNT: Mutex<usize> = Mutex::new(0);

    #[derive(JsonSchema)]
    #[schemars(transparent)]
    struct Counted(Mode);

    impl<'de> Deserialize<'de> for Counted {
        fn deserialize<D: Deserializer<'de>>(value: D) -> Result<Self, D::Error> {
            *COUNT.lock().unwrap() += 1;
            Mode::deserialize(value).map(Self)
        }
    }

    let toolbox = Toolbox::builder().tool(Asked).build().unwrap();
    let _ = toolbox.declarations(pi_tools::schema::Dialect::Portable).unwrap();
    // Whether it may be left out.
    assert_eq!(*COUNT.lock().unwrap(), 1);
    for count in [3, 4, 5] {
        assert_eq!(toolbox.call("asked", r#"{"value":"fast"}"#).await.to_text(), "taken");
        assert_eq!(*COUNT.lock().unwrap(), count);
    }
}
