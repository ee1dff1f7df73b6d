//! The schemas inside of a schema: what is a keyword there, and what is only a name or a value.

use serde_json::Value;

use super::normal::Object;

/// Visits a schema and all that it is made of, each with its JSON pointer.
pub(crate) fn walk(schema: &Value, visit: &mut impl FnMut(&str, &Object)) {
    walk_at(schema, &mut String::new(), visit);
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
        match (keyword.as_str(), value) {
            ("properties" | "patternProperties" | "$defs", Value::Object(schemas)) => {
                for (name, schema) in schemas {
                    below(&[keyword, name], schema);
                }
            }
            ("anyOf" | "prefixItems", Value::Array(schemas)) => {
                for (index, schema) in schemas.iter().enumerate() {
                    below(&[keyword, &index.to_string()], schema);
                }
            }
            ("items" | "additionalProperties" | "not", schema) => below(&[keyword], schema),
            _ => {}
        }
    }
}

/// Changes a schema, and then all that it is made of.
pub(super) fn transform(schema: &mut Value, change: &mut impl FnMut(&mut Object)) {
    let Value::Object(map) = schema else { return };
    change(map);
    for (keyword, value) in map {
        match (keyword.as_str(), value) {
            ("properties" | "patternProperties" | "$defs", Value::Object(schemas)) => {
                for schema in schemas.values_mut() {
                    transform(schema, change);
                }
            }
            ("anyOf" | "prefixItems", Value::Array(schemas)) => {
                for schema in schemas {
                    transform(schema, change);
                }
            }
            ("items" | "additionalProperties" | "not", schema) => transform(schema, change),
            _ => {}
        }
    }
}

/// A segment of a JSON pointer.
pub(super) fn escape(segment: &str) -> String {
    segment.replace('~', "~0").replace('/', "~1")
}
