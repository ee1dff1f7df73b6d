//! What golden cases do not reach: the dialects that have none, sizes, and the words of reports.

use pi_tools::schema::{Change, Dialect, Loss, Parameters, Reason};
use pi_tools::schemars::Schema;
use serde_json::{Map, Value, json};

fn parameters(schema: Value) -> Parameters {
    Parameters::normalise(Schema::try_from(schema).unwrap()).unwrap()
}

fn object(property: &Value) -> Parameters {
    parameters(json!({ "type": "object", "properties": { "a": property } }))
}

fn in_dialect(property: &Value, dialect: Dialect) -> (Value, Vec<Loss>) {
    let (schema, report) = object(property).in_dialect(dialect).unwrap();
    (schema["properties"]["a"].clone(), report.losses)
}

#[test]
fn geminis_newer_form_takes_no_exclusive_bounds() {
    let number = json!({ "type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 9, "multipleOf": 0.5 });
    let (schema, losses) = in_dialect(&number, Dialect::GoogleJsonSchema);
    assert_eq!(schema, json!({ "type": "number", "description": "greater than 0, less than 9, multiple of 0.5" }));
    let lost: Vec<&str> = losses.iter().map(|loss| loss.keyword.as_str()).collect();
    assert_eq!(lost, ["exclusiveMinimum", "exclusiveMaximum", "multipleOf"]);
    assert!(losses.iter().all(|loss| loss.is_enforced && loss.change == Change::Removed && loss.note.is_some()));
    let (schema, losses) = in_dialect(&number, Dialect::OpenAi);
    assert_eq!((schema, losses), (number, vec![]));
}

#[test]
fn names_of_properties_are_checked() {
    let odd = parameters(json!({ "type": "object", "properties": { "a b": { "type": "string" } } }));
    for dialect in [Dialect::Google, Dialect::GoogleJsonSchema, Dialect::Anthropic, Dialect::AnthropicStrict] {
        let error = odd.in_dialect(dialect).unwrap_err();
        assert_eq!(error.reason(), Reason::PropertyName, "{dialect:?}");
        assert!(error.to_string().contains("`a b`"), "{error}");
    }
    for dialect in [Dialect::Portable, Dialect::OpenAi, Dialect::OpenAiStrict] {
        odd.in_dialect(dialect).unwrap();
    }
}

#[test]
fn strict_patterns_look_neither_around_nor_back() {
    for pattern in ["a(?=b)", "a(?!b)", "(?<=a)b", "(?<!a)b", r"(a)\1", r"(?<x>a)\k<x>"] {
        for dialect in [Dialect::OpenAiStrict, Dialect::AnthropicStrict] {
            let (schema, losses) = in_dialect(&json!({ "type": "string", "pattern": pattern }), dialect);
            assert!(schema.get("pattern").is_none(), "{pattern} for {dialect:?}");
            assert!(losses.iter().any(|loss| loss.keyword == "pattern" && loss.is_enforced));
        }
    }
    let (schema, _) = in_dialect(&json!({ "type": "string", "pattern": r"^\d+\\1$" }), Dialect::OpenAi);
    assert_eq!(schema["pattern"], r"^\d+\\1$");
}

#[test]
fn openais_strict_mode_has_sizes() {
    let nest = |levels: usize| {
        (1..levels).fold(
            json!({ "type": "object", "properties": {} }),
            |inner, _| json!({ "type": "object", "properties": { "a": inner } }),
        )
    };
    let values = |count: usize, length: usize| {
        let values: Vec<String> = (0..count).map(|index| format!("{index:0length$}")).collect();
        json!({ "type": "object", "properties": { "a": { "type": "string", "enum": values } }, "required": ["a"] })
    };
    let many = |count: usize| {
        let properties: Map<String, Value> =
            (0..count).map(|index| (format!("p{index}"), json!({ "type": "boolean" }))).collect();
        json!({ "type": "object", "properties": properties })
    };
    // Each definition counts on its own.
    let recursive = |levels: usize| {
        let mut tree = nest(levels);
        tree["properties"]["next"] = json!({ "$ref": "#/$defs/Tree" });
        json!({ "type": "object", "properties": { "tree": { "$ref": "#/$defs/Tree" } }, "$defs": { "Tree": tree } })
    };
    for (schema, reason) in [
        (nest(10), None),
        (nest(11), Some(Reason::TooDeep)),
        (recursive(10), None),
        (recursive(11), Some(Reason::TooDeep)),
        (many(5000), None),
        (many(5001), Some(Reason::TooManyProperties)),
        (values(1000, 3), None),
        (values(1001, 3), Some(Reason::TooManyEnumValues)),
        (values(250, 100), None),
        (values(251, 100), Some(Reason::TooLong)),
        (values(240, 600), Some(Reason::TooLong)),
    ] {
        let error = parameters(schema).in_dialect(Dialect::OpenAiStrict).err().map(|error| error.reason());
        assert_eq!(error, reason);
    }
}

#[test]
fn reasons_fit_what_they_are_about() {
    let why = |property: &Value, keyword: &str| {
        let (_, losses) = in_dialect(property, Dialect::Google);
        losses.into_iter().find(|loss| loss.keyword == keyword).unwrap_or_else(|| panic!("{keyword}")).why
    };
    let union = json!({ "description": "One.", "anyOf": [{ "type": "string" }, { "type": "integer" }] });
    assert_eq!(why(&union, "description"), "nothing may stand beside `anyOf`");
    let map = json!({ "type": "object", "additionalProperties": { "type": "integer" } });
    assert_eq!(why(&map, "type"), "a map has no schema for its values");
    assert_eq!(why(&json!({ "type": "number", "format": "double" }), "format"), "the formats of numbers are known");
    let mail = json!({ "type": "string", "format": "email" });
    assert_eq!(why(&mail, "format"), "of the formats of texts only `date-time` is taken");
    // Notes that are only joined are no loss.
    let keyed = json!({
        "type": "object",
        "patternProperties": { "^a": { "type": "integer" } },
        "additionalProperties": false,
        "description": "By name.",
    });
    let (schema, losses) = in_dialect(&keyed, Dialect::Google);
    assert_eq!(schema["description"], "By name. (keys match ^a, a map from string keys to integer)");
    assert!(losses.iter().all(|loss| loss.keyword != "description"), "{losses:?}");
}

#[test]
fn openapis_flag_for_null_adds_it_to_the_values() {
    let choice = json!({ "type": "string", "enum": ["a"], "nullable": true });
    let schema = parameters(json!({ "type": "object", "properties": { "a": choice }, "required": ["a"] }));
    let property = &schema.schema()["properties"]["a"];
    assert_eq!((&property["type"], &property["enum"]), (&json!(["string", "null"]), &json!(["a", null])));
}

#[test]
fn the_tighter_of_two_bounds_holds() {
    for (bounds, minimum) in [
        (json!({ "type": "integer", "minimum": 10, "exclusiveMinimum": 5 }), 10),
        (json!({ "type": "integer", "minimum": 3, "exclusiveMinimum": 5 }), 6),
    ] {
        assert_eq!(object(&bounds).schema()["properties"]["a"]["minimum"], minimum);
    }
}

/// What is only told is warned of: the portable form cannot say it.
#[test]
fn what_is_only_told_is_warned_of() {
    let (_, report) = object(&json!({ "type": "array", "items": { "type": "string" }, "uniqueItems": true }))
        .in_dialect(Dialect::Portable)
        .unwrap();
    let warnings: Vec<String> = report.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(warnings, ["/properties/a: `uniqueItems` is only told in the description; calls are held to it"]);
    for (least, is_warned) in [(-9_007_199_254_740_992_i64, false), (-9_007_199_254_740_994, true)] {
        let integer = json!({ "type": "integer", "format": "int64", "minimum": least, "maximum": 0 });
        let (_, report) = object(&integer).in_dialect(Dialect::Portable).unwrap();
        assert_eq!(!report.warnings.is_empty(), is_warned, "{least}");
    }
}
