//! Old names of arguments and of values become the declared ones.

use serde_json::{Map, Value};

use super::validate::accepts;
use crate::schema::{Check, ValueAlias, Variants};
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

/// A null for an optional property is no value, at any depth: models send it, strict modes ask for it.
///
/// Pi's own rule, which comes after this one, does not look into unions, and makes a text "null" of it there.
pub(super) fn drop_optional_nulls(value: &mut Value, check: &Check) {
    drop_nulls(value, &check.schema, check, &mut Vec::new());
}

/// `followed` are the references that led here with the same value.
fn drop_nulls(value: &mut Value, schema: &Value, check: &Check, followed: &mut Vec<*const Value>) {
    if let Some(target) = schema["$ref"].as_str().and_then(|reference| check.resolve(reference)) {
        let at = std::ptr::from_ref(target);
        if !followed.contains(&at) {
            followed.push(at);
            drop_nulls(value, target, check, followed);
            followed.pop();
        }
        return;
    }
    for branch in schema["anyOf"].as_array().into_iter().flatten() {
        drop_nulls(value, branch, check, followed);
    }
    match value {
        Value::Object(map) => {
            let required = schema["required"].as_array().map_or(&[][..], Vec::as_slice);
            let properties = &schema["properties"];
            map.retain(|name, value| {
                let is_kept = |property| accepts(&Value::Null, property, check);
                !value.is_null()
                    || required.iter().any(|other| other == name)
                    || properties.get(name.as_str()).is_none_or(is_kept)
            });
            for (name, value) in map {
                let schema = properties.get(name.as_str()).unwrap_or(&schema["additionalProperties"]);
                drop_nulls(value, schema, check, &mut Vec::new());
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter_mut().enumerate() {
                let schema = schema["prefixItems"].get(index).unwrap_or(&schema["items"]);
                drop_nulls(item, schema, check, &mut Vec::new());
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
