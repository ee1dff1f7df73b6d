//! All problems of arguments against their check schema, in Pi's order and words.

use std::cmp::Ordering;
use std::fmt;

use serde_json::{Map, Number, Value};

use super::format;
use crate::schema::{Check, Variants};
use crate::string_enum::ALIASES;

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

pub(super) fn validate(value: &Value, check: &Check) -> Vec<Problem> {
    validate_at(Vec::new(), value, &check.schema, check)
}

/// The problems of a value at a path of the arguments.
pub(super) fn validate_at(path: Vec<String>, value: &Value, schema: &Value, check: &Check) -> Vec<Problem> {
    let mut validator = Validator { check, path, problems: Vec::new() };
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
    check: &'a Check,
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
            && !is_alias(value, schema)
        {
            self.report(format!("expected one of {}", list(allowed)));
        }
        match value {
            Value::String(text) => self.text(text, schema),
            Value::Number(number) => self.number(number, schema),
            Value::Object(map) => {
                self.object(map, schema);
                self.size(map.len(), schema, ["minProperties", "maxProperties"], "properties");
            }
            Value::Array(items) => self.array(items, schema),
            _ => {}
        }
        if let Some(Value::Array(branches)) = schema.get("anyOf")
            && !branches.iter().any(|branch| self.accepts(value, branch))
        {
            self.report("matches no alternative");
        }
        if let Some(excluded) = schema.get("not").and_then(|not| not.get("const"))
            && value == excluded
        {
            self.report("must not match the schema in not");
        }
        if let Some(target) = schema.get("$ref").and_then(Value::as_str)
            && let Some(target) = target.strip_prefix('#').and_then(|pointer| self.check.schema.pointer(pointer))
        {
            self.node(value, target);
        }
    }

    fn text(&mut self, text: &str, schema: &Value) {
        self.size(text.chars().count(), schema, ["minLength", "maxLength"], "characters");
        if let Some(pattern) = schema.get("pattern").and_then(Value::as_str) {
            match self.check.matches(pattern, text) {
                Ok(true) => {}
                Ok(false) => self.report(format_args!("expected to match {pattern}")),
                Err(error) => self.report(error),
            }
        }
        if let Some(format) = schema.get("format").and_then(Value::as_str)
            && format::is_of_format(format, text) == Some(false)
        {
            self.report(format_args!("expected format {format}"));
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
        if let Some(Value::Number(factor)) = schema.get("multipleOf")
            && !is_multiple(number, factor)
        {
            self.report(format_args!("expected a multiple of {factor}"));
        }
    }

    fn array(&mut self, items: &[Value], schema: &Value) {
        self.size(items.len(), schema, ["minItems", "maxItems"], "items");
        if schema.get("uniqueItems") == Some(&Value::Bool(true))
            && items.iter().enumerate().any(|(index, item)| items[..index].contains(item))
        {
            self.report("expected unique items");
        }
        let places = schema.get("prefixItems").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        for (index, item) in items.iter().enumerate() {
            if let Some(schema) = places.get(index).or_else(|| schema.get("items")) {
                self.at(index.to_string(), |this| this.node(item, schema));
            }
        }
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
        let patterns = schema.get("patternProperties").and_then(Value::as_object);
        let others = schema.get("additionalProperties");
        for (name, value) in map {
            let mut is_known = properties.is_some_and(|properties| properties.contains_key(name));
            for (pattern, schema) in patterns.into_iter().flatten() {
                if self.check.matches(pattern, name) == Ok(true) {
                    is_known = true;
                    self.at(name.clone(), |this| this.node(value, schema));
                }
            }
            match others {
                Some(others) if !is_known => self.at(name.clone(), |this| match others {
                    Value::Bool(false) => this.report("unknown field"),
                    schema => this.node(value, schema),
                }),
                _ => {}
            }
        }
    }

    fn accepts(&self, value: &Value, schema: &Value) -> bool {
        validate_at(Vec::new(), value, schema, self.check).is_empty()
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

/// Whether a string enum takes a text in place of one of its values.
fn is_alias(value: &Value, schema: &Value) -> bool {
    value.as_str().is_some_and(|text| schema.get(ALIASES).is_some_and(|aliases| aliases.get(text).is_some()))
}

/// Of decimals, as a person means them: 0.3 is a multiple of 0.1.
fn is_multiple(number: &Number, factor: &Number) -> bool {
    match (number.as_i128(), factor.as_i128(), number.as_f64(), factor.as_f64()) {
        (_, Some(0), ..) | (.., Some(0.0)) => true,
        (Some(number), Some(factor), ..) => number % factor == 0,
        (.., Some(number), Some(factor)) => {
            let quotient = number / factor;
            (quotient - quotient.round()).abs() <= f64::EPSILON * quotient.abs().max(1.0)
        }
        _ => true,
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
