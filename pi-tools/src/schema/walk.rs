//! The schemas inside of a schema: what is a keyword there, and what is only a name or a value.

use std::borrow::Cow;

use serde_json::{Map, Value};

pub(super) type Object = Map<String, Value>;

/// Visits a schema and all that it is made of, each with its JSON pointer.
pub(crate) fn walk(schema: &Value, visit: &mut impl FnMut(&str, &Object)) {
    walk_at(schema, &mut String::new(), visit);
}

/// What the value of a keyword is made of.
fn kind(keyword: &str) -> Kind {
    match keyword {
        "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas" | "dependencies" => Kind::Map,
        "anyOf" | "oneOf" | "allOf" | "prefixItems" => Kind::List,
        // A list in the drafts before 2020-12.
        "items" => Kind::ListOrSchema,
        "additionalProperties" | "additionalItems" | "contains" | "propertyNames" | "not" | "if" | "then" | "else" => {
            Kind::Schema
        }
        _ => Kind::Other,
    }
}

enum Kind {
    Map,
    List,
    ListOrSchema,
    Schema,
    Other,
}

fn walk_at(schema: &Value, pointer: &mut String, visit: &mut impl FnMut(&str, &Object)) {
    let Value::Object(map) = schema else { return };
    visit(pointer, map);
    let mut below = |segments: &[&str], schema: &Value| {
        let length = pointer.len();
        for segment in segments {
            pointer.push('/');
            pointer.push_str(&escape(segment));
        }
        walk_at(schema, pointer, visit);
        pointer.truncate(length);
    };
    for (keyword, value) in map {
        match (kind(keyword), value) {
            (Kind::Map, Value::Object(schemas)) => {
                for (name, schema) in schemas {
                    below(&[keyword, name], schema);
                }
            }
            (Kind::List | Kind::ListOrSchema, Value::Array(schemas)) => {
                for (index, schema) in schemas.iter().enumerate() {
                    below(&[keyword, &index.to_string()], schema);
                }
            }
            (Kind::Schema | Kind::ListOrSchema, schema) => below(&[keyword], schema),
            _ => {}
        }
    }
}

/// What stands where a schema should, and is none.
pub(super) fn no_schema(map: &Object) -> Option<&Value> {
    let is_none = |schema: &&Value| !schema.is_object() && !schema.is_boolean();
    map.iter().find_map(|(keyword, value)| match (kind(keyword), value) {
        // A list of names, in drafts before 2019.
        (Kind::Map, Value::Object(schemas)) if keyword != "dependencies" => schemas.values().find(is_none),
        (Kind::List | Kind::ListOrSchema, Value::Array(schemas)) => schemas.iter().find(is_none),
        (Kind::Schema | Kind::ListOrSchema, schema) => Some(schema).filter(is_none),
        _ => None,
    })
}

/// Changes a schema, and then all that it is made of.
pub(super) fn transform(schema: &mut Value, change: &mut impl FnMut(&mut Object)) {
    let Value::Object(map) = schema else { return };
    change(map);
    for (keyword, value) in map {
        match (kind(keyword), value) {
            (Kind::Map, Value::Object(schemas)) => {
                for schema in schemas.values_mut() {
                    transform(schema, change);
                }
            }
            (Kind::List | Kind::ListOrSchema, Value::Array(schemas)) => {
                for schema in schemas {
                    transform(schema, change);
                }
            }
            (Kind::Schema | Kind::ListOrSchema, schema) => transform(schema, change),
            _ => {}
        }
    }
}

/// The members of an object by their names. Schemas have few, so looking at each takes less than to hash a name, and a
/// check asks for a hundred that are not there.
pub(crate) trait Members {
    fn member(&self, name: &str) -> Option<&Value>;

    /// The member, or null.
    fn part(&self, name: &str) -> &Value {
        self.member(name).unwrap_or(&Value::Null)
    }
}

impl Members for Object {
    fn member(&self, name: &str) -> Option<&Value> {
        if self.len() > 16 {
            return self.get(name);
        }
        self.iter().find(|(key, _)| *key == name).map(|(_, value)| value)
    }
}

impl Members for Value {
    fn member(&self, name: &str) -> Option<&Value> {
        self.as_object()?.member(name)
    }
}

/// The type or types of a schema.
pub(crate) fn kinds(schema: &Value) -> Vec<&str> {
    match schema.member("type") {
        Some(Value::String(kind)) => vec![kind],
        kinds => kinds.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect(),
    }
}

/// A segment of a JSON pointer.
pub(crate) fn escape(segment: &str) -> String {
    segment.replace('~', "~0").replace('/', "~1")
}

/// Without the percent signs of a URI.
pub(super) fn unquote(fragment: &str) -> Cow<'_, str> {
    if !fragment.contains('%') {
        return fragment.into();
    }
    let mut bytes = Vec::new();
    let mut rest = fragment.as_bytes();
    while let Some((first, others)) = rest.split_first() {
        let hex = others.get(..2).filter(|_| *first == b'%').and_then(|hex| std::str::from_utf8(hex).ok());
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &others[2..];
            }
            None => {
                bytes.push(*first);
                rest = others;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned().into()
}
