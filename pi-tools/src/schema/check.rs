//! The check schema: what arguments are held to, beside what is published of it.
//!
//! It says all that the portable form says but the descriptions, and what that form cannot: the bounds of the integer
//! types, the places of a tuple, formats and patterns that a provider would refuse.

use std::collections::BTreeMap;

use regress::Regex;
use serde_json::Value;

use super::normal::{CHECK, NOTES, Object};
use super::walk::{no_schema, transform, unquote, walk};

/// A schema to check arguments against.
#[derive(Clone, Debug)]
pub(crate) struct Check {
    pub(crate) schema: Value,
    /// Whether it refuses what the types of the arguments accept, so that decoding alone does not check enough.
    pub(crate) is_constrained: bool,
    /// At how many places it takes only some fields or values, which types may do by themselves.
    pub(crate) closings: usize,
    patterns: BTreeMap<String, Result<Regex, String>>,
    faults: Vec<String>,
}

impl Check {
    pub(super) fn new(normal: &Value) -> Self {
        Self::of(checked(normal))
    }

    /// The check of any JSON Schema, as it is.
    pub(crate) fn of(schema: Value) -> Self {
        let (mut is_constrained, mut closings) = (false, 0);
        let mut faults = Vec::new();
        let mut patterns = BTreeMap::new();
        walk(&schema, &mut |pointer, map| {
            is_constrained |= constrains(map);
            // The arguments themselves are closed by their decoder.
            closings += usize::from(is_closed(map) && !pointer.is_empty()) + usize::from(map.contains_key("enum"));
            faults.extend(no_schema(map).map(|other| format!("A schema must be an object or a boolean, got {other}")));
            let keys = map.get("patternProperties").and_then(Value::as_object).into_iter().flatten();
            let keys = keys.map(|(pattern, _)| pattern.as_str());
            for pattern in map.get("pattern").and_then(Value::as_str).into_iter().chain(keys) {
                patterns.entry(pattern.to_owned()).or_insert_with(|| compile(pattern));
            }
        });
        faults.extend(patterns.values().filter_map(|regex| regex.as_ref().err()).cloned());
        Self { schema, is_constrained, closings, patterns, faults }
    }

    /// What the types say by themselves.
    pub(crate) fn without_constraints(&self) -> Self {
        Self { schema: unconstrained(&self.schema), ..self.clone() }
    }

    /// Takes any fields beside those that are declared.
    pub(crate) fn open(&mut self) {
        if let Some(map) = self.schema.as_object_mut() {
            map.shift_remove("additionalProperties");
        }
    }

    /// What a reference of the schema means: a place, by its JSON pointer, or an anchor.
    pub(crate) fn resolve(&self, reference: &str) -> Option<&Value> {
        let fragment = reference.strip_prefix('#')?;
        if fragment.is_empty() || fragment.starts_with('/') {
            return self.schema.pointer(&unquote(fragment));
        }
        let mut at = None;
        walk(&self.schema, &mut |pointer, map| {
            if map.get("$anchor").is_some_and(|anchor| anchor == fragment) {
                at.get_or_insert_with(|| pointer.to_owned());
            }
        });
        self.schema.pointer(&at?)
    }

    /// Whether a text matches a pattern of the schema.
    ///
    /// # Errors
    ///
    /// What is wrong with the pattern.
    pub(crate) fn matches(&self, pattern: &str, text: &str) -> Result<bool, String> {
        match self.patterns.get(pattern) {
            Some(Ok(regex)) => Ok(regex.find(text).is_some()),
            Some(Err(error)) => Err(error.clone()),
            None => compile(pattern).map(|regex| regex.find(text).is_some()),
        }
    }

    /// What is wrong with the schema itself.
    pub(crate) fn faults(&self) -> &[String] {
        &self.faults
    }
}

/// An ECMAScript pattern, in the Unicode way if it is valid there, as Pi takes it.
fn compile(pattern: &str) -> Result<Regex, String> {
    Regex::with_flags(pattern, "u")
        .or_else(|_| Regex::new(pattern))
        .map_err(|error| format!("Invalid regular expression: /{pattern}/: {error}"))
}

/// What a type does not enforce by itself, whoever said it.
const CONSTRAINTS: [&str; 17] = [
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "multipleOf",
    "minProperties",
    "maxProperties",
    "uniqueItems",
    "const",
    "not",
    "contains",
    "propertyNames",
    "dependentRequired",
    "dependentSchemas",
    "dependencies",
    "if",
    IS_BOUNDED,
];

/// Whether a schema says more than its type enforces by itself.
fn constrains(map: &Object) -> bool {
    let is_sized = !map.contains_key("prefixItems") && (map.contains_key("minItems") || map.contains_key("maxItems"));
    is_sized || CONSTRAINTS.iter().any(|keyword| map.contains_key(*keyword))
}

/// Whether a schema takes no other fields.
pub(crate) fn is_closed(map: &Object) -> bool {
    map.get("additionalProperties") == Some(&Value::Bool(false))
}

fn unconstrained(schema: &Value) -> Value {
    let mut schema = schema.clone();
    transform(&mut schema, &mut |map| {
        let is_bounded = map.contains_key(IS_BOUNDED);
        // Serde does not close variants without fields.
        for branch in map.get_mut("anyOf").and_then(Value::as_array_mut).into_iter().flatten() {
            if let Some(branch) = branch.as_object_mut() {
                branch.shift_remove("additionalProperties");
            }
        }
        map.retain(|keyword, _| match keyword.as_str() {
            "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => !is_bounded,
            "minItems" | "maxItems" | "enum" => false,
            keyword => !CONSTRAINTS.contains(&keyword),
        });
    });
    schema
}

/// Marks a number with other bounds than its type's.
const IS_BOUNDED: &str = "x-pi-tools-bounded";

fn checked(normal: &Value) -> Value {
    let mut schema = normal.clone();
    transform(&mut schema, &mut |map| {
        for keyword in ["description", NOTES] {
            map.remove(keyword);
        }
        if let Some(Value::Object(check)) = map.remove(CHECK) {
            map.extend(check);
        }
        if map.get("type").is_some_and(is_numeric) {
            bound(map);
        }
    });
    schema
}

fn is_numeric(kind: &Value) -> bool {
    let kinds = kind.as_array().map_or(std::slice::from_ref(kind), Vec::as_slice);
    kinds.iter().any(|kind| kind == "integer" || kind == "number")
}

/// Turns the format of a number into the bounds of its type.
fn bound(map: &mut Object) {
    let format = map.remove("format");
    let (least, greatest) = match format.as_ref().and_then(Value::as_str) {
        Some("int8") => (i8::MIN.into(), i8::MAX.into()),
        Some("int16") => (i16::MIN.into(), i16::MAX.into()),
        Some("int32") => (i32::MIN.into(), i32::MAX.into()),
        Some("int64") => (i64::MIN.into(), i64::MAX.into()),
        Some("int") => (isize::MIN.into(), isize::MAX.into()),
        Some("uint8") => (0.into(), u8::MAX.into()),
        Some("uint16") => (0.into(), u16::MAX.into()),
        Some("uint32") => (0.into(), u32::MAX.into()),
        Some("uint64") => (0.into(), u64::MAX.into()),
        Some("uint") => (0.into(), usize::MAX.into()),
        _ => (Value::Null, Value::Null),
    };
    let mut is_bounded = map.contains_key("exclusiveMinimum") || map.contains_key("exclusiveMaximum");
    for (keyword, natural) in [("minimum", least), ("maximum", greatest)] {
        match map.get(keyword) {
            Some(own) => is_bounded |= *own != natural,
            None if natural.is_null() => {}
            None => {
                map.insert(keyword.into(), natural);
            }
        }
    }
    if is_bounded {
        map.insert(IS_BOUNDED.into(), true.into());
    }
}
