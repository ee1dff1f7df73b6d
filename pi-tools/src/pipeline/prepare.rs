//! Old names of arguments and of values become the declared ones.

use serde_json::{Map, Value};

use super::coerce::{item_schema, members};
use super::javascript::number;
use super::validate::{accepts, is_type};
use crate::schema::{Check, Members, ValueAlias, Variants, kinds};
use crate::spec::Rename;

/// Renames in place. An old name beside the declared one is dropped; key order is kept.
pub(super) fn prepare(arguments: &mut Value, renames: &[Rename], aliases: &[ValueAlias]) {
    let Value::Object(map) = arguments else { return };
    for Rename { from, to } in renames {
        if map.member(from).is_none() {
            continue;
        }
        if map.member(to).is_some() {
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

/// Brings values into the forms that their types decode from, at any depth: a null for an optional property is no value,
/// and `5.0` for an integer is one. Models send the first, and strict modes ask for it.
///
/// Pi's own rules, which come after these, do not look for nulls in unions, and make a text "null" of them there.
pub(super) fn tidy(value: &mut Value, check: &Check) {
    tidy_at(value, &check.schema, check, &mut Vec::new());
}

/// `followed` are the references that led here with the same value.
fn tidy_at(value: &mut Value, schema: &Value, check: &Check, followed: &mut Vec<*const Value>) {
    if let Some(target) = schema.part("$ref").as_str().and_then(|reference| check.resolve(reference)) {
        let at = std::ptr::from_ref(target);
        if !followed.contains(&at) {
            followed.push(at);
            tidy_at(value, target, check, followed);
            followed.pop();
        }
        return;
    }
    if schema.part("anyOf").is_array() {
        // Whatever branch it is of: a number with a fraction takes an integer, too.
        write_integers(value);
    }
    // One branch: in a recursive union all of them would be as many at each level.
    let mut branches = schema.part("anyOf").as_array().into_iter().flatten();
    if let Some(branch) = branches.find(|branch| is_meant(value, branch, check)) {
        tidy_at(value, branch, check, followed);
    }
    match value {
        Value::Number(_) if kinds(schema).contains(&"integer") => write_integers(value),
        Value::Object(map) => {
            let required = schema.part("required").as_array().map_or(&[][..], Vec::as_slice);
            let properties = schema.part("properties");
            map.retain(|name, value| {
                let is_kept = |property| accepts(&Value::Null, property, check);
                !value.is_null()
                    || required.iter().any(|other| other == name)
                    || properties.member(name.as_str()).is_none_or(is_kept)
            });
            for (name, value) in map {
                for schema in members(name, schema, check) {
                    tidy_at(value, schema, check, &mut Vec::new());
                }
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter_mut().enumerate() {
                if let Some(schema) = item_schema(schema, index) {
                    tidy_at(item, schema, check, &mut Vec::new());
                }
            }
        }
        _ => {}
    }
}

/// Writes whole numbers as integers, at any depth.
fn write_integers(value: &mut Value) {
    match value {
        Value::Number(whole) if whole.is_f64() => {
            let integer = whole.as_f64().filter(|double| double.fract() == 0.0).and_then(number);
            *whole = integer.unwrap_or_else(|| whole.clone());
        }
        Value::Array(items) => items.iter_mut().for_each(write_integers),
        Value::Object(map) => map.values_mut().for_each(write_integers),
        _ => {}
    }
}

/// Whether a value may be of a branch: it is of its type, has what it requires, and its tag, a field with one value, is
/// not another's.
fn is_meant(value: &Value, branch: &Value, check: &Check) -> bool {
    let target = branch.part("$ref").as_str().and_then(|reference| check.resolve(reference)).unwrap_or(branch);
    let kinds = kinds(target);
    let mut required = target.part("required").as_array().into_iter().flatten().filter_map(Value::as_str);
    let mut fields = target.part("properties").as_object().into_iter().flatten();
    (kinds.is_empty() || kinds.iter().any(|kind| is_type(value, kind)))
        && (!value.is_object() || required.all(|name| value.get(name).is_some()))
        && fields.all(|(name, field)| match (field.part("enum").as_array().map(Vec::as_slice), value.get(name)) {
            (Some([only]), Some(own)) => only == own,
            _ => true,
        })
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
