//! What a schema says and nobody would hold arguments to: neither the check, which does not know the keyword or is not
//! told it, nor the model, which is not told it either.

use serde_json::Value;

use super::{Normaliser, Object};
use crate::schema::walk::walk;

/// Keywords that the check does not know, and what to write instead.
const UNKNOWN: [(&str, &str); 8] = [
    ("unevaluatedProperties", "write `additionalProperties` into each alternative"),
    ("unevaluatedItems", "write `items` into each alternative"),
    ("$dynamicRef", "write `$ref`"),
    ("$recursiveRef", "write `$ref`"),
    ("contentSchema", "take the value itself as a parameter, or check the text in the tool"),
    ("divisibleBy", "write `multipleOf`"),
    ("disallow", "write `not`"),
    ("extends", "write the fields into one struct"),
];

/// Keywords that are about values of one type.
const OF_TYPE: [&str; 17] = [
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minItems",
    "maxItems",
    "uniqueItems",
    "prefixItems",
    "minProperties",
    "maxProperties",
    "additionalProperties",
    "patternProperties",
];

/// Keywords that are about values of any type, or bring their type along.
const OF_ANY: [&str; 12] = [
    "enum",
    "required",
    "items",
    "not",
    "contains",
    "propertyNames",
    "dependentRequired",
    "dependentSchemas",
    "dependencies",
    "if",
    "anyOf",
    "oneOf",
];

/// Says with keywords that the check knows what means the same here: nothing is left to evaluate but what these are about.
pub(super) fn evaluate(map: &mut Object) {
    let has = |keyword: &str| map.contains_key(keyword);
    let is_union = has("anyOf") || has("oneOf");
    // The fields beside a union move into its branches, with what is said of all others.
    let is_object = !has("if") && !has("dependentSchemas") && (!is_union || has("properties"));
    let is_array = !has("if") && !is_union && !has("contains");
    for (keyword, known, is_same) in
        [("unevaluatedProperties", "additionalProperties", is_object), ("unevaluatedItems", "items", is_array)]
    {
        if is_same && let Some(others) = map.shift_remove(keyword) {
            // What is said of all others is evaluated by that.
            map.entry(known).or_insert(others);
        }
    }
}

impl Normaliser<'_> {
    /// Reports the keywords that the check does not know, of a node.
    pub(super) fn report_unknown(&mut self, map: &Object) {
        for (keyword, way_out) in UNKNOWN {
            if says(map, keyword) {
                self.report(keyword, way_out);
            }
        }
    }

    /// The same of a schema that is checked as it is.
    pub(super) fn report_within(&mut self, schema: &Value) {
        walk(schema, &mut |_, map| self.report_unknown(map));
    }

    /// Reports what stands beside something that leaves no place for it.
    pub(super) fn report_beside(&mut self, map: &Object, way_out: &str) {
        for keyword in OF_TYPE.into_iter().chain(OF_ANY) {
            if says(map, keyword) {
                self.report(keyword, way_out);
            }
        }
        self.report_unknown(map);
    }

    /// Reports what is said of values of a type, where any may stand.
    pub(super) fn report_untyped(&mut self, map: &Object) {
        for keyword in OF_TYPE {
            if says(map, keyword) {
                self.report(keyword, "write the `type` that it is about beside it");
            }
        }
    }

    fn report(&mut self, keyword: &str, way_out: &str) {
        let definition = self.expanding.first().filter(|name| **name != self.root_name());
        let path: Vec<&str> = definition.into_iter().chain(&self.path).map(String::as_str).collect();
        let place = if path.is_empty() { String::new() } else { format!("{}: ", path.join(".")) };
        let fault = format!("{place}`{keyword}` would be published nowhere and enforced by nobody: {way_out}");
        if !self.unenforced.contains(&fault) {
            self.unenforced.push(fault);
        }
    }
}

/// Whether a keyword is there and refuses some value.
fn says(map: &Object, keyword: &str) -> bool {
    match map.get(keyword) {
        None | Some(Value::Bool(true)) => keyword == "uniqueItems" && map.contains_key(keyword),
        Some(Value::Bool(false)) => keyword != "uniqueItems",
        Some(value) => value.as_object().is_none_or(|map| !map.is_empty()),
    }
}
