//! Arguments as a model wrote them become what their schema most likely means, as Pi does it, in three passes.
//!
//! 1. A null for an optional property that does not take it is dropped.
//! 2. Values are converted: `"7"` to a number, 3.7 to an integer, a single value to a list of it.
//! 3. What has a list of types, or is still of another type, is converted by the type alone.
//!
//! What cannot be converted stays, and the check reports it.

use std::collections::HashMap;
use std::hash::BuildHasher as _;

use serde_json::{Map, Number, Value};

use super::javascript::{is_space, number, number_text, parse_number, same};
use super::validate::{accepts, is_type};
use crate::schema::{Check, Members, kinds};

pub(super) fn coerce(mut value: Value, check: &Check) -> Value {
    drop_optional_nulls(&mut value, &check.schema, check);
    let mut converter = Converter { check, entered: Vec::new(), unions: 0, known: HashMap::new() };
    let value = converter.convert(&check.schema, value);
    coerce_types(value, &check.schema, check)
}

/// It does not look through references and unions.
fn drop_optional_nulls(value: &mut Value, schema: &Value, check: &Check) {
    match value {
        Value::Object(map) => {
            if let Some(properties) = schema.part("properties").as_object() {
                let required = schema.part("required").as_array().map_or(&[][..], Vec::as_slice);
                map.retain(|name, value| {
                    let is_kept =
                        |schema: &Value| schema.part("$ref").is_string() || accepts(&Value::Null, schema, check);
                    !value.is_null()
                        || required.iter().any(|other| other == name)
                        || properties.member(name).is_none_or(is_kept)
                });
            }
            for (name, value) in map {
                for schema in members(name, schema, check) {
                    drop_optional_nulls(value, schema, check);
                }
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter_mut().enumerate() {
                if let Some(schema) = item_schema(schema, index) {
                    drop_optional_nulls(item, schema, check);
                }
            }
        }
        _ => {}
    }
}

/// The schemas of a member of an object.
pub(super) fn members<'a>(name: &str, schema: &'a Value, check: &Check) -> Vec<&'a Value> {
    let declared = schema.part("properties").member(name);
    let patterns = schema.part("patternProperties").as_object().into_iter().flatten();
    let matching = patterns.filter(|(pattern, _)| check.matches(pattern, name) == Ok(true)).map(|(_, schema)| schema);
    let mut members: Vec<&Value> = declared.into_iter().chain(matching).collect();
    if members.is_empty() {
        members.extend(schema.member("additionalProperties"));
    }
    members
}

/// The schema of an item: its place in a tuple, else that of all.
pub(super) fn item_schema(schema: &Value, index: usize) -> Option<&Value> {
    match (schema.part("items"), schema.part("prefixItems")) {
        (Value::Array(places), _) => places.get(index),
        (_, Value::Array(places)) if index < places.len() => places.get(index),
        (items, _) => Some(items),
    }
}

struct Converter<'a> {
    check: &'a Check,
    /// The schemas and values that are being converted: a recursive type would go on for ever with a value that it
    /// refuses.
    entered: Vec<Key>,
    /// In how many unions the value is.
    unions: usize,
    /// What references made of values in unions: the branches of a recursive one would convert the same ones again and
    /// again.
    known: HashMap<Key, Value>,
}

/// A schema, and the hash of a value: each level of a large one has it once more, but a copy would have all of it.
type Key = (*const Value, u64);

impl<'a> Converter<'a> {
    fn convert(&mut self, schema: &'a Value, value: Value) -> Value {
        if let Some(reference) = schema.part("$ref").as_str() {
            return match self.check.resolve(reference) {
                Some(target) => self.follow(target, value),
                None => value,
            };
        }
        if let Some(constant) = schema.member("const") {
            return literal(constant, &value).unwrap_or(value);
        }
        if let Some(members) = schema.part("enum").as_array() {
            return self.convert_enum(schema, members, value);
        }
        for union in ["anyOf", "oneOf"] {
            if let Some(branches) = schema.part(union).as_array() {
                return self.convert_union(schema, branches, value);
            }
        }
        if let Some(all) = schema.part("allOf").as_array() {
            let value = all.iter().fold(value, |value, schema| self.convert(schema, value));
            return self.convert_members(schema, value);
        }
        let has = |keyword: &str| schema.member(keyword).is_some();
        match schema.member("type") {
            Some(Value::String(kind)) => match kind.as_str() {
                "string" => to_text(&value).map_or(value, Value::from),
                "number" => to_number(&value).map_or(value, Value::from),
                "integer" => to_number(&value).map_or(value, |number| truncated(&number).into()),
                "boolean" => to_boolean(&value).map_or(value, Value::from),
                "null" if is_nothing(&value) => Value::Null,
                "array" => self.convert_array(schema, value),
                "object" => self.convert_object(schema, value),
                _ => value,
            },
            None if has("properties") || has("patternProperties") => self.convert_object(schema, value),
            None if has("items") || has("prefixItems") => self.convert_array(schema, value),
            _ => value,
        }
    }

    fn follow(&mut self, target: &'a Value, value: Value) -> Value {
        let is_container = value.is_object() || value.is_array();
        let key = self.key(target, &value);
        if let Some(result) = self.known.get(&key) {
            return result.clone();
        }
        let result = self.enter(target, value, key);
        if is_container && self.entered.is_empty() {
            self.known.clear();
        } else if is_container && self.unions > 0 {
            self.known.insert(key, result.clone());
        }
        result
    }

    fn key(&self, schema: &Value, value: &Value) -> Key {
        (std::ptr::from_ref(schema), self.known.hasher().hash_one(value))
    }

    /// Converts a value unless that is what is being done already.
    fn enter(&mut self, schema: &'a Value, value: Value, key: Key) -> Value {
        if self.entered.contains(&key) {
            return value;
        }
        self.entered.push(key);
        let value = self.convert(schema, value);
        self.entered.pop();
        value
    }

    fn convert_enum(&self, schema: &Value, members: &[Value], value: Value) -> Value {
        if members.iter().any(|member| same(member, &value)) {
            return value;
        }
        let mut candidates = members.iter().filter_map(|member| literal(member, &value));
        candidates.find(|candidate| accepts(candidate, schema, self.check)).unwrap_or(value)
    }

    /// What a branch accepts stays; else the first conversion by a branch that the whole union accepts.
    fn convert_union(&mut self, schema: &'a Value, branches: &'a [Value], value: Value) -> Value {
        if !branches.iter().any(|branch| accepts(&value, branch, self.check)) {
            for branch in branches {
                self.unions += 1;
                let candidate = self.convert(branch, value.clone());
                let candidate = self.convert_members(schema, candidate);
                self.unions -= 1;
                if accepts(&candidate, schema, self.check) {
                    return candidate;
                }
            }
        }
        self.convert_members(schema, value)
    }

    /// The members that are declared beside a union.
    fn convert_members(&mut self, schema: &'a Value, value: Value) -> Value {
        let declares = ["properties", "patternProperties", "additionalProperties"];
        if declares.iter().any(|keyword| schema.member(keyword).is_some()) {
            self.convert_object(schema, value)
        } else {
            value
        }
    }

    fn convert_object(&mut self, schema: &'a Value, value: Value) -> Value {
        let Value::Object(map) = value else { return value };
        let converted = map.into_iter().map(|(name, value)| {
            let schemas = members(&name, schema, self.check);
            let value = schemas.into_iter().fold(value, |value, schema| self.convert(schema, value));
            (name, value)
        });
        Value::Object(converted.collect::<Map<_, _>>())
    }

    fn convert_array(&mut self, schema: &'a Value, value: Value) -> Value {
        let is_tuple = schema.part("items").is_array() || schema.part("prefixItems").is_array();
        match value {
            Value::Array(items) => {
                let converted = items.into_iter().enumerate().map(|(index, item)| match item_schema(schema, index) {
                    Some(schema) => self.convert(schema, item),
                    None => item,
                });
                converted.collect()
            }
            value if is_tuple => value,
            value if schema.part("items").is_object() => {
                let items = schema.part("items");
                let key = self.key(items, &value);
                Value::Array(vec![self.enter(items, value, key)])
            }
            value => Value::Array(vec![value]),
        }
    }
}

/// A constant that a value of another type means.
fn literal(constant: &Value, value: &Value) -> Option<Value> {
    let converted: Value = match constant {
        Value::String(_) => to_text(value)?.into(),
        Value::Number(_) => to_number(value)?.into(),
        Value::Bool(_) => to_boolean(value)?.into(),
        _ => return None,
    };
    same(&converted, constant).then_some(converted)
}

fn to_text(value: &Value) -> Option<String> {
    match value {
        Value::Null => Some("null".to_owned()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Number(number) => Some(number_text(number)),
        Value::String(text) => Some(text.clone()),
        _ => None,
    }
}

fn to_number(value: &Value) -> Option<Number> {
    match value {
        Value::Null => Some(0.into()),
        Value::Bool(flag) => Some(u8::from(*flag).into()),
        Value::Number(number) => Some(number.clone()),
        Value::String(text) => parse_number(text).or_else(|| match text.to_lowercase().as_str() {
            "true" => Some(1.into()),
            "false" => Some(0.into()),
            _ => big_integer(text),
        }),
        _ => None,
    }
}

/// JavaScript writes great integers as `12n`; only those that a double has are taken.
fn big_integer(text: &str) -> Option<Number> {
    let digits = text.strip_suffix('n')?;
    let unsigned = digits.strip_prefix('-').unwrap_or(digits);
    let is_plain =
        unsigned == "0" || (!unsigned.starts_with('0') && unsigned.bytes().all(|byte| byte.is_ascii_digit()));
    let integer: i64 = digits.parse().ok().filter(|_| is_plain)?;
    (integer.unsigned_abs() < 1 << 53).then(|| integer.into())
}

fn truncated(value: &Number) -> Number {
    match value.as_f64() {
        Some(double) if value.is_f64() => number(double.trunc()).unwrap_or_else(|| value.clone()),
        _ => value.clone(),
    }
}

fn to_boolean(value: &Value) -> Option<bool> {
    match value {
        Value::Null => Some(false),
        Value::Bool(flag) => Some(*flag),
        Value::Number(number) => match number.as_f64() {
            Some(0.0) => Some(false),
            Some(1.0) => Some(true),
            _ => None,
        },
        Value::String(text) => match text.to_lowercase().as_str() {
            "0" | "false" => Some(false),
            "1" | "true" => Some(true),
            _ => None,
        },
        _ => None,
    }
}

/// Whether a value stands for null.
fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => matches!(text.to_lowercase().as_str(), "" | "0" | "null" | "undefined"),
        _ => false,
    }
}

/// The third pass.
fn coerce_types(mut value: Value, schema: &Value, check: &Check) -> Value {
    for member in schema.part("allOf").as_array().into_iter().flatten() {
        value = coerce_types(value, member, check);
    }
    for union in ["anyOf", "oneOf"] {
        if let Some(branches) = schema.part(union).as_array()
            && !branches.iter().any(|branch| accepts(&value, branch, check))
        {
            let mut coerced = branches.iter().map(|branch| (coerce_types(value.clone(), branch, check), branch));
            if let Some((coerced, _)) = coerced.find(|(coerced, branch)| accepts(coerced, branch, check)) {
                value = coerced;
            }
        }
    }
    let kinds = kinds(schema);
    if (kinds.len() < 2 || !kinds.iter().any(|kind| is_type(&value, kind)))
        && let Some(coerced) = kinds.iter().find_map(|kind| coerced(&value, kind))
    {
        value = coerced;
    }
    match &mut value {
        Value::Object(map) if kinds.contains(&"object") => {
            for (name, member) in map {
                for schema in members(name, schema, check) {
                    *member = coerce_types(std::mem::take(member), schema, check);
                }
            }
        }
        Value::Array(items) if kinds.contains(&"array") => {
            for (index, item) in items.iter_mut().enumerate() {
                if let Some(schema) = item_schema(schema, index) {
                    *item = coerce_types(std::mem::take(item), schema, check);
                }
            }
        }
        _ => {}
    }
    value
}

/// A value as one of a type, if it is another then.
fn coerced(value: &Value, kind: &str) -> Option<Value> {
    match (kind, value) {
        ("number" | "integer", Value::Null) => Some(0.into()),
        ("number" | "integer", Value::Bool(flag)) => Some(u8::from(*flag).into()),
        ("number" | "integer", Value::String(text)) if !text.trim_matches(is_space).is_empty() => {
            let number = parse_number(text)?;
            (kind == "number" || !number.is_f64() || number.as_f64()?.fract() == 0.0).then(|| number.into())
        }
        ("boolean", Value::Null) => Some(false.into()),
        ("boolean", Value::String(text)) => match text.as_str() {
            "true" => Some(true.into()),
            "false" => Some(false.into()),
            _ => None,
        },
        ("boolean", Value::Number(_)) => to_boolean(value).map(Value::from),
        ("string", Value::Null) => Some("".into()),
        ("string", Value::Bool(_) | Value::Number(_)) => to_text(value).map(Value::from),
        ("null", Value::Bool(false)) => Some(Value::Null),
        ("null", Value::String(text)) if text.is_empty() => Some(Value::Null),
        ("null", Value::Number(number)) if number.as_f64() == Some(0.0) => Some(Value::Null),
        _ => None,
    }
}
