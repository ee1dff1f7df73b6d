//! What Pi makes of a schema on its way to a provider: a model of Pi 1.6.0, for where the real one is not at hand.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

const NAME_MAPS: &[&str] =
    &["properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"];

const SUBSCHEMAS: &[&str] = &[
    "additionalItems",
    "additionalProperties",
    "allOf",
    "anyOf",
    "contains",
    "contentSchema",
    "else",
    "if",
    "items",
    "not",
    "oneOf",
    "prefixItems",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
];

/// Pi assigns `__proto__` as well, and in JavaScript that makes no member.
const LEGACY_DROPS: &[&str] =
    &["$anchor", "$comment", "$defs", "$dynamicAnchor", "$id", "$schema", "$vocabulary", "__proto__", "definitions"];

/// In the order in which Pi looks for them.
const STRICT_REFUSES: &[&str] = &[
    "$ref",
    "$defs",
    "definitions",
    "allOf",
    "oneOf",
    "patternProperties",
    "dependentSchemas",
    "dependencies",
    "unevaluatedProperties",
    "propertyNames",
    "contains",
    "prefixItems",
    "not",
    "if",
    "then",
    "else",
];

/// What Google gets as `parametersJsonSchema`.
pub fn google(schema: &Value) -> Value {
    const_as_enum(schema, false)
}

fn const_as_enum(schema: &Value, maps_names: bool) -> Value {
    let members = match schema {
        Value::Array(items) => return items.iter().map(google).collect(),
        Value::Object(members) => members,
        _ => return schema.clone(),
    };
    let convert = |(key, value): (&String, &Value)| {
        let converted = match key.as_str() {
            key if maps_names || SUBSCHEMAS.contains(&key) => google(value),
            key if NAME_MAPS.contains(&key) => const_as_enum(value, true),
            _ => value.clone(),
        };
        (key.clone(), converted)
    };
    let mut converted: Map<String, Value> = members.iter().map(convert).collect();
    if !maps_names
        && !members.contains_key("enum")
        && let Some(value @ (Value::String(_) | Value::Number(_))) = members.get("const")
    {
        converted.shift_remove("const");
        converted.insert("enum".to_owned(), json!([value]));
    }
    Value::Object(converted)
}

/// What Cloud Code Assist gets as `parameters`.
pub fn google_legacy(schema: &Value) -> Value {
    let Value::Object(members) = schema else { return schema.clone() };
    let kept = members.iter().filter(|(key, _)| !LEGACY_DROPS.contains(&key.as_str()));
    kept.map(|(key, value)| (key.clone(), google_legacy(value))).collect()
}

/// What constrained sampling gets.
///
/// # Errors
///
/// The text with which Pi refuses the schema.
pub fn strict(schema: &Value) -> Result<Value, String> {
    const NO_OBJECT: &str = "root schema must have type object";
    if !schema.is_object() {
        return Err(NO_OBJECT.to_owned());
    }
    let strict = strict_node(schema)?;
    if strict["type"] == "object" { Ok(strict) } else { Err(NO_OBJECT.to_owned()) }
}

fn strict_node(schema: &Value) -> Result<Value, String> {
    let Value::Object(members) = schema else { return refuse("boolean schemas are unsupported") };
    if let Some(key) = STRICT_REFUSES.iter().find(|key| members.contains_key(**key)) {
        return refuse(&format!("{key} schemas are unsupported"));
    }
    if !["type", "anyOf", "enum"].iter().any(|key| members.contains_key(*key)) {
        return refuse("schemas without a type are unsupported");
    }
    let mut strict = members.clone();
    if let Some(variants) = members.get("anyOf") {
        strict["anyOf"] = strict_variants(variants)?;
    }
    if let Some(items) = members.get("items") {
        if items.is_array() {
            return refuse("tuple schemas are unsupported");
        }
        strict["items"] = strict_node(items)?;
    }
    if schema["type"] == "object" {
        strict_object(&mut strict)?;
    } else if members.contains_key("properties") {
        return refuse("properties require type object");
    }
    Ok(Value::Object(strict))
}

fn strict_variants(variants: &Value) -> Result<Value, String> {
    let Some(variants) = variants.as_array().filter(|variants| !variants.is_empty()) else {
        return refuse("anyOf must contain at least one schema");
    };
    let strict = variants.iter().map(|variant| match variant {
        variant if is_structured(variant) => refuse("object and array unions are unsupported"),
        variant => strict_node(variant),
    });
    strict.collect()
}

fn strict_object(schema: &mut Map<String, Value>) -> Result<(), String> {
    if schema.get("additionalProperties").is_some_and(|value| *value != json!(false)) {
        return refuse("schema-valued or true additionalProperties is unsupported");
    }
    let mut properties = match schema.get("properties") {
        None => Map::new(),
        Some(Value::Object(properties)) => properties.clone(),
        Some(_) => return refuse("object properties must be a schema map"),
    };
    let required: Option<Vec<&str>> = match schema.get("required") {
        None => Some(Vec::new()),
        Some(Value::Array(names)) => names.iter().map(Value::as_str).collect(),
        Some(_) => None,
    };
    let Some(required) = required else { return refuse("object required must be a string array") };
    if !required.iter().all(|name| properties.contains_key(*name)) {
        return refuse("required contains an unknown property");
    }
    let names = names_in_javascript(&properties);
    for name in &names {
        let strict = strict_node(&properties[name])?;
        let nullable = required.contains(&name.as_str()) || allows_null(&strict);
        properties[name] = if nullable { strict } else { json!({ "anyOf": [strict, { "type": "null" }] }) };
    }
    if let Some(old) = schema.get_mut("properties") {
        *old = Value::Object(properties);
    }
    schema.insert("required".to_owned(), json!(names));
    schema.insert("additionalProperties".to_owned(), json!(false));
    Ok(())
}

fn is_structured(schema: &Value) -> bool {
    ["object", "array"].iter().any(|name| has_type(schema, name))
        || ["properties", "items"].iter().any(|key| schema.get(key).is_some())
}

fn allows_null(schema: &Value) -> bool {
    has_type(schema, "null")
        || schema.get("const").is_some_and(Value::is_null)
        || list(schema, "enum").iter().any(Value::is_null)
        || list(schema, "anyOf").iter().any(allows_null)
}

fn has_type(schema: &Value, name: &str) -> bool {
    schema["type"] == name || list(schema, "type").iter().any(|listed| listed == name)
}

fn list<'a>(schema: &'a Value, key: &str) -> &'a [Value] {
    schema.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// In JavaScript an object's array indices come first, in ascending order.
fn names_in_javascript(members: &Map<String, Value>) -> Vec<String> {
    let index = |name: &String| name.parse().ok().filter(|index: &u32| *index < u32::MAX && index.to_string() == *name);
    let indices: BTreeMap<u32, &String> = members.keys().filter_map(|name| Some((index(name)?, name))).collect();
    let others = members.keys().filter(|name| index(name).is_none());
    indices.into_values().chain(others).cloned().collect()
}

fn refuse<T>(reason: &str) -> Result<T, String> {
    Err(reason.to_owned())
}
