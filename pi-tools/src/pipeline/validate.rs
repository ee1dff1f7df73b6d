//! All problems of arguments against a portable schema, in Pi's order and words.

use std::cmp::Ordering;
use std::fmt;

use serde_json::{Map, Number, Value};

use crate::schema::Variants;

/// One problem: where, and what was expected.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Problem {
    path: String,
    message: String,
}

impl Problem {
    pub(super) fn new(path: impl Into<String>, message: impl fmt::Display) -> Self {
        Self { path: path.into(), message: message.to_string() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.message)
    }
}

pub(super) fn validate(value: &Value, schema: &Value) -> Vec<Problem> {
    validate_at(Vec::new(), value, schema, schema)
}

/// The problems of a value at a path of the arguments.
pub(super) fn validate_at(path: Vec<String>, value: &Value, schema: &Value, root: &Value) -> Vec<Problem> {
    let mut validator = Validator { root, path, problems: Vec::new() };
    validator.node(value, schema);
    validator.problems
}

/// What the variant of the arguments requires, which a portable schema cannot say.
pub(super) fn missing_of_variant(arguments: &Value, variants: &Variants) -> Vec<Problem> {
    let Some(variant) = variants.of(arguments) else { return Vec::new() };
    let is_missing = |name: &&String| arguments.get(*name).is_none_or(Value::is_null);
    let missing = variant.required.iter().filter(is_missing);
    missing
        .map(|name| Problem::new(name, format_args!("required when {} is {}", variants.tag, arguments[&variants.tag])))
        .collect()
}

struct Validator<'a> {
    root: &'a Value,
    path: Vec<String>,
    problems: Vec<Problem>,
}

impl Validator<'_> {
    fn node(&mut self, value: &Value, schema: &Value) {
        if let Some(expected) = schema.get("type") {
            let types: Vec<&str> = match expected {
                Value::String(one) => vec![one],
                several => several.as_array().into_iter().flatten().filter_map(Value::as_str).collect(),
            };
            if !types.iter().any(|kind| is_type(value, kind)) {
                return self.report(format!("expected {}, got {}", types.join(" or "), type_of(value)));
            }
        }
        if let Some(Value::Array(allowed)) = schema.get("enum")
            && !allowed.contains(value)
        {
            self.report(format!("expected one of {}", list(allowed)));
        }
        match value {
            Value::String(text) => {
                self.size(text.chars().count(), schema, ["minLength", "maxLength"], "characters");
            }
            Value::Number(number) => self.number(number, schema),
            Value::Object(map) => {
                self.object(map, schema);
                self.size(map.len(), schema, ["minProperties", "maxProperties"], "properties");
            }
            Value::Array(items) => {
                self.size(items.len(), schema, ["minItems", "maxItems"], "items");
                if let Some(schema) = schema.get("items") {
                    for (index, item) in items.iter().enumerate() {
                        self.at(index.to_string(), |this| this.node(item, schema));
                    }
                }
            }
            _ => {}
        }
        if let Some(Value::Array(branches)) = schema.get("anyOf")
            && !branches.iter().any(|branch| self.accepts(value, branch))
        {
            self.report("matches no alternative");
        }
        if let Some(target) = schema.get("$ref").and_then(Value::as_str)
            && let Some(target) = target.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer))
        {
            self.node(value, target);
        }
    }

    fn number(&mut self, number: &Number, schema: &Value) {
        let mut bound = |keyword: &str, sign: &str, holds: fn(Ordering) -> bool| {
            if let Some(Value::Number(bound)) = schema.get(keyword)
                && compare(number, bound).is_some_and(|ordering| !holds(ordering))
            {
                self.report(format!("expected {sign} {bound}"));
            }
        };
        bound("minimum", ">=", Ordering::is_ge);
        bound("maximum", "<=", Ordering::is_le);
        bound("exclusiveMinimum", ">", Ordering::is_gt);
        bound("exclusiveMaximum", "<", Ordering::is_lt);
    }

    fn size(&mut self, size: usize, schema: &Value, [min, max]: [&str; 2], what: &str) {
        let limit = |keyword: &str| schema.get(keyword).and_then(Value::as_u64);
        let size = size as u64;
        if let Some(limit) = limit(min).filter(|limit| size < *limit) {
            self.report(format!("expected at least {limit} {what}"));
        }
        if let Some(limit) = limit(max).filter(|limit| size > *limit) {
            self.report(format!("expected at most {limit} {what}"));
        }
    }

    fn object(&mut self, map: &Map<String, Value>, schema: &Value) {
        let required = schema.get("required").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        for name in required.iter().filter_map(Value::as_str) {
            if !map.contains_key(name) {
                self.at(name.to_owned(), |this| this.report("missing"));
            }
        }
        let properties = schema.get("properties").and_then(Value::as_object);
        for (name, schema) in properties.into_iter().flatten() {
            match map.get(name) {
                // An optional null is an absent field.
                Some(Value::Null) if !required.iter().any(|other| other == name) => {}
                Some(value) => self.at(name.clone(), |this| this.node(value, schema)),
                None => {}
            }
        }
        let Some(others) = schema.get("additionalProperties") else { return };
        for (name, value) in map {
            if properties.is_some_and(|properties| properties.contains_key(name)) {
                continue;
            }
            self.at(name.clone(), |this| match others {
                Value::Bool(false) => this.report("unknown field"),
                schema => this.node(value, schema),
            });
        }
    }

    fn accepts(&self, value: &Value, schema: &Value) -> bool {
        validate_at(Vec::new(), value, schema, self.root).is_empty()
    }

    fn at(&mut self, segment: String, check: impl FnOnce(&mut Self)) {
        self.path.push(segment);
        check(self);
        self.path.pop();
    }

    fn report(&mut self, message: impl fmt::Display) {
        let path = if self.path.is_empty() { "root".to_owned() } else { self.path.join(".") };
        self.problems.push(Problem::new(path, message));
    }
}

/// Integers as integers: floats would take neighbours beyond 2^53 for equal.
fn compare(one: &Number, other: &Number) -> Option<Ordering> {
    match (one.as_i128(), other.as_i128()) {
        (Some(one), Some(other)) => Some(one.cmp(&other)),
        _ => one.as_f64()?.partial_cmp(&other.as_f64()?),
    }
}

fn is_type(value: &Value, kind: &str) -> bool {
    type_of(value) == kind || (kind == "number" && value.is_number())
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.as_f64().is_some_and(|number| number.fract() == 0.0) => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// The allowed values, 20 at most, as Pi lists them.
fn list(allowed: &[Value]) -> String {
    const SHOWN: usize = 20;
    let mut parts: Vec<String> = allowed.iter().take(SHOWN).map(Value::to_string).collect();
    if allowed.len() > SHOWN {
        parts.push(format!("... and {} more", allowed.len() - SHOWN));
    }
    format!("[{}]", parts.join(","))
}
