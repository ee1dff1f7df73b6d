//! All problems of arguments against their schema, in Pi's order and words.

mod union;

use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::fmt;

use serde_json::{Map, Number, Value};

use super::format;
use super::javascript::{compact, entries, number_text, same};
use crate::schema::{Check, Members, Variants, escape, kinds};
use crate::string_enum::ALIASES;

/// One problem: where, and what was expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Problem {
    path: String,
    message: String,
    /// The length of the path as a JSON pointer, by which Pi compares.
    depth: usize,
}

impl Problem {
    pub(super) fn new(path: impl Into<String>, message: impl fmt::Display) -> Self {
        Self { path: path.into(), message: message.to_string(), depth: 0 }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.message)
    }
}

pub(super) fn validate(value: &Value, check: &Check) -> Vec<Problem> {
    validate_at(&[], value, &check.schema, check)
}

/// The problems of a value at a path of the arguments.
pub(super) fn validate_at(path: &[&str], value: &Value, schema: &Value, check: &Check) -> Vec<Problem> {
    let path = path.iter().map(|name| Segment::Name(name)).collect();
    let memory = Memory::default();
    let mut validator = Validator { path, ..Validator::new(check, &memory) };
    validator.node(value, schema);
    validator.problems
}

/// Whether a schema has nothing to say against a value.
pub(super) fn accepts(value: &Value, schema: &Value, check: &Check) -> bool {
    accepts_with(value, schema, check, &Memory::default())
}

fn accepts_with(value: &Value, schema: &Value, check: &Check, memory: &Memory) -> bool {
    let pair = (std::ptr::from_ref(schema), std::ptr::from_ref(value));
    // A scalar is checked sooner than found.
    let is_kept = value.is_object() || value.is_array();
    if let Some(known) = memory.accepted.borrow().get(&pair).filter(|_| is_kept) {
        return *known;
    }
    let mut validator = Validator { is_quick: true, ..Validator::new(check, memory) };
    validator.node(value, schema);
    let accepted = validator.problems.is_empty();
    if is_kept {
        memory.accepted.borrow_mut().insert(pair, accepted);
    }
    accepted
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

/// A schema and a value, by their places: neither moves while arguments are checked.
type Pair = (*const Value, *const Value);

/// What was found out: a recursive union would find it out again in every branch of every level.
#[derive(Default)]
struct Memory {
    accepted: RefCell<HashMap<Pair, bool>>,
    explained: RefCell<HashMap<Pair, Vec<Problem>>>,
    /// References that are being followed with a value: a schema that is a reference to itself says nothing.
    entered: RefCell<Vec<Pair>>,
}

#[derive(Clone, Copy)]
enum Segment<'a> {
    Name(&'a str),
    Index(usize),
}

struct Validator<'a> {
    check: &'a Check,
    path: Vec<Segment<'a>>,
    problems: Vec<Problem>,
    /// Whether the first problem is enough, and nobody reads it.
    is_quick: bool,
    memory: &'a Memory,
}

impl<'a> Validator<'a> {
    fn new(check: &'a Check, memory: &'a Memory) -> Self {
        Self { check, path: Vec::new(), problems: Vec::new(), is_quick: false, memory }
    }

    fn node(&mut self, value: &'a Value, whole: &'a Value) {
        if self.is_quick && !self.problems.is_empty() {
            return;
        }
        let schema = match whole {
            Value::Object(schema) => schema,
            Value::Bool(false) => return self.report("no value is allowed here"),
            _ => return,
        };
        if schema.member("type").is_some() {
            let types = kinds(whole);
            if !types.iter().any(|kind| is_type(value, kind)) {
                return self.report(format_args!("expected {}, got {}", types.join(" or "), type_of(value)));
            }
        }
        if let Some(Value::Array(allowed)) = schema.member("enum")
            && !allowed.iter().any(|allowed| same(allowed, value))
            && !is_alias(value, schema)
        {
            self.report(format_args!("expected one of {}", list(allowed)));
        }
        if let Some(constant) = schema.member("const")
            && !same(constant, value)
        {
            self.report(format_args!("expected {}", compact(constant)));
        }
        match value {
            Value::String(text) => self.text(text, schema),
            Value::Number(number) => self.number(number, schema),
            Value::Object(map) => self.object(value, map, schema),
            Value::Array(items) => self.array(items, schema),
            _ => {}
        }
        for member in list_of(schema, "allOf") {
            self.node(value, member);
        }
        for (union, at_most) in [("anyOf", usize::MAX), ("oneOf", 1)] {
            if let Some(Value::Array(branches)) = schema.member(union) {
                self.union(value, branches, at_most);
            }
        }
        if schema.member("not").is_some_and(|not| self.accepts(value, not)) {
            self.report("must not match the schema in not");
        }
        if let Some(condition) = schema.member("if") {
            let branch = if self.accepts(value, condition) { "then" } else { "else" };
            if let Some(branch) = schema.member(branch) {
                self.node(value, branch);
            }
        }
        if let Some(reference) = schema.member("$ref").and_then(Value::as_str) {
            self.reference(value, reference);
        }
    }

    fn reference(&mut self, value: &'a Value, reference: &str) {
        let Some(target) = self.check.resolve(reference) else {
            return self.report(format_args!("unresolved reference {reference}"));
        };
        let pair = (std::ptr::from_ref(target), std::ptr::from_ref(value));
        if self.memory.entered.borrow().contains(&pair) {
            return;
        }
        if self.is_quick {
            return self.enter(pair, value, target);
        }
        if let Some(problems) = self.memory.explained.borrow().get(&pair) {
            return self.problems.extend(problems.iter().cloned());
        }
        let before = std::mem::take(&mut self.problems);
        self.enter(pair, value, target);
        let problems = std::mem::replace(&mut self.problems, before);
        self.problems.extend(problems.iter().cloned());
        self.memory.explained.borrow_mut().insert(pair, problems);
    }

    fn enter(&mut self, pair: Pair, value: &'a Value, target: &'a Value) {
        self.memory.entered.borrow_mut().push(pair);
        self.node(value, target);
        self.memory.entered.borrow_mut().pop();
    }

    fn text(&mut self, text: &str, schema: &Map<String, Value>) {
        if schema.member("minLength").is_some() || schema.member("maxLength").is_some() {
            self.size(text.chars().count(), schema, ["minLength", "maxLength"], "characters");
        }
        if let Some(pattern) = schema.member("pattern").and_then(Value::as_str) {
            match self.check.matches(pattern, text) {
                Ok(true) => {}
                Ok(false) => self.report(format_args!("expected to match {pattern}")),
                Err(error) => self.report(error),
            }
        }
        if let Some(format) = schema.member("format").and_then(Value::as_str)
            && format::is_of_format(format, text) == Some(false)
        {
            self.report(format_args!("expected format {format}"));
        }
    }

    fn number(&mut self, number: &Number, schema: &Map<String, Value>) {
        let mut bound = |keyword: &str, sign: &str, holds: fn(Ordering) -> bool| {
            if let Some(Value::Number(bound)) = schema.member(keyword)
                && compare(number, bound).is_some_and(|ordering| !holds(ordering))
            {
                let bound = if bound.is_f64() { number_text(bound) } else { bound.to_string() };
                self.report(format_args!("expected {sign} {bound}"));
            }
        };
        bound("minimum", ">=", Ordering::is_ge);
        bound("maximum", "<=", Ordering::is_le);
        bound("exclusiveMinimum", ">", Ordering::is_gt);
        bound("exclusiveMaximum", "<", Ordering::is_lt);
        if let Some(Value::Number(factor)) = schema.member("multipleOf")
            && !is_multiple(number, factor)
        {
            self.report(format_args!("expected a multiple of {}", number_text(factor)));
        }
    }

    fn size(&mut self, size: usize, schema: &Map<String, Value>, [min, max]: [&str; 2], what: &str) {
        let limit = |keyword: &str| schema.member(keyword).and_then(Value::as_u64);
        let size = size as u64;
        if let Some(limit) = limit(min).filter(|limit| size < *limit) {
            self.report(format_args!("expected at least {limit} {what}"));
        }
        if let Some(limit) = limit(max).filter(|limit| size > *limit) {
            self.report(format_args!("expected at most {limit} {what}"));
        }
    }

    fn object(&mut self, value: &'a Value, map: &'a Map<String, Value>, schema: &'a Map<String, Value>) {
        for name in list_of(schema, "required").filter_map(Value::as_str) {
            if map.member(name).is_none() {
                self.at(Segment::Name(name), |this| this.report("missing"));
            }
        }
        let properties = schema.member("properties").and_then(Value::as_object);
        for (name, schema) in properties.map(entries).unwrap_or_default() {
            if let Some(value) = map.member(name) {
                self.at(Segment::Name(name), |this| this.node(value, schema));
            }
        }
        self.others(map, properties, schema);
        self.size(map.len(), schema, ["minProperties", "maxProperties"], "properties");
        for keyword in ["dependentRequired", "dependencies", "dependentSchemas"] {
            for (name, needed) in schema.member(keyword).and_then(Value::as_object).into_iter().flatten() {
                match needed {
                    _ if map.member(name).is_none() => {}
                    Value::Array(needed) => {
                        for other in needed.iter().filter_map(Value::as_str).filter(|other| map.member(other).is_none())
                        {
                            let problem = format_args!("required when {name} is present");
                            self.at(Segment::Name(other), |this| this.report(problem));
                        }
                    }
                    schema => self.node(value, schema),
                }
            }
        }
    }

    /// The members that have no declaration of their own, and the names of all.
    fn others(
        &mut self,
        map: &'a Map<String, Value>,
        properties: Option<&Map<String, Value>>,
        schema: &'a Map<String, Value>,
    ) {
        let patterns = schema.member("patternProperties").and_then(Value::as_object);
        let others = schema.member("additionalProperties");
        let names = schema.member("propertyNames");
        if patterns.is_none() && others.is_none() && names.is_none() {
            return;
        }
        for (name, value) in entries(map) {
            let mut is_known = properties.is_some_and(|properties| properties.member(name).is_some());
            for (pattern, schema) in patterns.into_iter().flatten() {
                if self.check.matches(pattern, name) == Ok(true) {
                    is_known = true;
                    self.at(Segment::Name(name), |this| this.node(value, schema));
                }
            }
            match others {
                Some(others) if !is_known => self.at(Segment::Name(name), |this| match others {
                    Value::Bool(false) => this.report("unknown field"),
                    schema => this.node(value, schema),
                }),
                _ => {}
            }
            if names.is_some_and(|names| !self.accepts(&Value::from(name.as_str()), names)) {
                self.at(Segment::Name(name), |this| this.report("invalid property name"));
            }
        }
    }

    fn array(&mut self, items: &'a [Value], schema: &'a Map<String, Value>) {
        let (places, rest) = match (schema.member("items"), schema.member("prefixItems")) {
            (Some(Value::Array(places)), _) => (places.as_slice(), schema.member("additionalItems")),
            (rest, Some(Value::Array(places))) => (places.as_slice(), rest),
            (rest, _) => (&[][..], rest),
        };
        for (index, item) in items.iter().enumerate() {
            if let Some(schema) = places.get(index).or(rest) {
                self.at(Segment::Index(index), |this| this.node(item, schema));
            }
        }
        self.size(items.len(), schema, ["minItems", "maxItems"], "items");
        if schema.member("uniqueItems") == Some(&Value::Bool(true))
            && items.iter().enumerate().any(|(index, item)| items[..index].iter().any(|other| same(other, item)))
        {
            self.report("expected unique items");
        }
        if let Some(contained) = schema.member("contains") {
            let count = items.iter().filter(|item| self.accepts(item, contained)).count() as u64;
            let least = schema.member("minContains").and_then(Value::as_u64).unwrap_or(1);
            let greatest = schema.member("maxContains").and_then(Value::as_u64);
            if count < least || greatest.is_some_and(|greatest| count > greatest) {
                self.report(contains_message(least, greatest));
            }
        }
    }

    fn accepts(&self, value: &Value, schema: &Value) -> bool {
        accepts_with(value, schema, self.check, self.memory)
    }

    fn at(&mut self, segment: Segment<'a>, check: impl FnOnce(&mut Self)) {
        self.path.push(segment);
        check(self);
        self.path.pop();
    }

    fn report(&mut self, message: impl fmt::Display) {
        if self.is_quick {
            return self.problems.push(Problem { path: String::new(), message: String::new(), depth: 0 });
        }
        let segments = self.path.iter().map(|segment| match segment {
            Segment::Name(name) => (*name).to_owned(),
            Segment::Index(index) => index.to_string(),
        });
        let segments: Vec<String> = segments.collect();
        let depth = segments.iter().map(|segment| escape(segment).encode_utf16().count() + 1).sum();
        let path = if segments.is_empty() { "root".to_owned() } else { segments.join(".") };
        self.problems.push(Problem { depth, ..Problem::new(path, message) });
    }
}

fn list_of<'a>(schema: &'a Map<String, Value>, keyword: &str) -> impl Iterator<Item = &'a Value> {
    schema.member(keyword).and_then(Value::as_array).into_iter().flatten()
}

fn contains_message(least: u64, greatest: Option<u64>) -> String {
    let items = |count: u64| if count == 1 { "item" } else { "items" };
    match greatest {
        Some(greatest) if least == 0 => format!("expected at most {greatest} matching {}", items(greatest)),
        Some(greatest) => format!("expected between {least} and {greatest} matching items"),
        None => format!("expected at least {least} matching {}", items(least)),
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
fn is_alias(value: &Value, schema: &Map<String, Value>) -> bool {
    value.as_str().is_some_and(|text| schema.member(ALIASES).is_some_and(|aliases| aliases.get(text).is_some()))
}

/// Of decimals, as a person means them: 0.3 is a multiple of 0.1.
fn is_multiple(number: &Number, factor: &Number) -> bool {
    match (number.as_i128(), factor.as_i128(), number.as_f64(), factor.as_f64()) {
        (_, Some(0), ..) | (.., Some(0.0)) => false,
        (Some(number), Some(factor), ..) => number % factor == 0,
        (.., Some(number), Some(factor)) => {
            let quotient = number / factor;
            (quotient - quotient.round()).abs() <= f64::EPSILON * quotient.abs().max(1.0)
        }
        _ => true,
    }
}

pub(super) fn is_type(value: &Value, kind: &str) -> bool {
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
    let mut parts: Vec<String> = allowed.iter().take(SHOWN).map(compact).collect();
    if allowed.len() > SHOWN {
        parts.push(format!("... and {} more", allowed.len() - SHOWN));
    }
    format!("[{}]", parts.join(","))
}
