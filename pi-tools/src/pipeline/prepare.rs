//! Old names of arguments and of values become the declared ones.

use serde_json::{Map, Value};

use crate::schema::{ValueAlias, Variants};
use crate::spec::Rename;

/// Renames in place. An old name beside the declared one is dropped; key order is kept.
pub(super) fn prepare(arguments: &mut Value, renames: &[Rename], aliases: &[ValueAlias]) {
    let Value::Object(map) = arguments else { return };
    for Rename { from, to } in renames {
        if !map.contains_key(*from) {
            continue;
        }
        if map.contains_key(*to) {
            map.shift_remove(*from);
        } else {
            *map = std::mem::take(map)
                .into_iter()
                .map(|(key, value)| if key == *from { ((*to).to_owned(), value) } else { (key, value) })
                .collect::<Map<_, _>>();
        }
    }
    for ValueAlias { property, from, to } in aliases {
        if let Some(Value::String(value)) = map.get_mut(property)
            && value == from
        {
            value.clone_from(to);
        }
    }
}

/// A whole number that is written like a fraction, `5.0`, is an integer where one is expected.
pub(super) fn write_integers(value: &mut Value, schema: &Value) {
    match value {
        Value::Number(number) if schema["type"] == "integer" && number.is_f64() => {
            // Beyond that a float has no exact value anyway.
            let whole = number.as_f64().filter(|number| number.fract() == 0.0 && number.abs() < 9.2e18);
            #[expect(clippy::cast_possible_truncation, reason = "it is whole and within the bounds")]
            if let Some(whole) = whole {
                *number = (whole as i64).into();
            }
        }
        Value::Object(map) => {
            for (name, value) in map {
                let others = &schema["additionalProperties"];
                write_integers(value, schema["properties"].get(name.as_str()).unwrap_or(others));
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter_mut().enumerate() {
                write_integers(item, schema["prefixItems"].get(index).unwrap_or(&schema["items"]));
            }
        }
        _ => {}
    }
}

/// A null for an optional property is no value, at any depth: models send it, and a type with a default refuses it.
pub(super) fn drop_optional_nulls(value: &mut Value, schema: &Value) {
    match value {
        Value::Object(map) => {
            let required = schema["required"].as_array().map_or(&[][..], Vec::as_slice);
            let property = |name: &String| schema["properties"].get(name);
            let is_optional = |name: &String| property(name).is_some() && !required.iter().any(|other| other == name);
            map.retain(|name, value| !(value.is_null() && is_optional(name)));
            for (name, value) in map.iter_mut() {
                drop_optional_nulls(value, property(name).unwrap_or(&schema["additionalProperties"]));
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter_mut().enumerate() {
                drop_optional_nulls(item, schema["prefixItems"].get(index).unwrap_or(&schema["items"]));
            }
        }
        _ => {}
    }
}

/// The fields of other variants are no part of this call.
pub(super) fn drop_other_variants(arguments: &mut Value, variants: &Variants) {
    let Some(variant) = variants.of(arguments) else { return };
    if let Value::Object(map) = arguments {
        map.retain(|name, _| variant.fields.contains(name) || !variants.fields().any(|other| other == name));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(arguments: &str, expected: &str) {
        let renames = [Rename { from: "oldAction", to: "action" }];
        let aliases = [ValueAlias { property: "action".into(), from: "create".into(), to: "add".into() }];
        let mut value = serde_json::from_str(arguments).unwrap();
        prepare(&mut value, &renames, &aliases);
        assert_eq!(value.to_string(), expected);
    }

    #[test]
    fn renames() {
        check(r#"{"a":1,"oldAction":"add","b":2}"#, r#"{"a":1,"action":"add","b":2}"#);
        check(r#"{"oldAction":"add","action":"list"}"#, r#"{"action":"list"}"#);
        check(r#"{"oldAction":"create"}"#, r#"{"action":"add"}"#);
        check(r#"{"other":"create"}"#, r#"{"other":"create"}"#);
        check("[1]", "[1]");
    }
}
