//! Unions: enums, optional values, and enums with data as all of the arguments.

use serde_json::Value;

use super::{CHECK, NOTES, Normaliser, Object, VARIANTS, add_line, merge, type_of};
use crate::schema::{Reason, SchemaError};
use crate::string_enum::{ALIASES, line};

/// Drops null from an optional value. What is left of a union of one is returned, and the union is gone.
pub(super) fn without_null(map: &mut Object) -> Option<Value> {
    if map.get("default").is_some_and(Value::is_null) {
        map.shift_remove("default");
    }
    if let Some(Value::Array(values)) = map.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    if let Some(Value::Array(types)) = map.get_mut("type") {
        types.retain(|kind| kind != "null");
        if let [kind] = types.as_slice() {
            let kind = kind.clone();
            map.insert("type".into(), kind);
        }
    }
    for union in ["anyOf", "oneOf"] {
        if let Some(Value::Array(branches)) = map.get_mut(union) {
            branches.retain(|branch| branch["type"] != "null");
            if let [branch] = branches.as_slice() {
                let branch = branch.clone();
                map.shift_remove(union);
                return Some(branch);
            }
        }
    }
    None
}

/// A union of constants of one type is a plain `enum`, its descriptions are lines.
pub(super) fn fold_constants(map: &mut Object) {
    for union in ["oneOf", "anyOf"] {
        let Some(Value::Array(branches)) = map.get(union) else { continue };
        let mut values = Vec::new();
        let mut lines = Vec::new();
        for branch in branches {
            let constants = match (branch.get("const"), branch.get("enum")) {
                (Some(constant), _) => vec![constant.clone()],
                (None, Some(Value::Array(values))) => values.clone(),
                _ => return,
            };
            if let (Some(doc), [value]) = (branch["description"].as_str(), constants.as_slice()) {
                let name = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                lines.push(line(&name, doc));
            }
            values.extend(constants);
        }
        if values.windows(2).any(|pair| type_of(&pair[0]) != type_of(&pair[1])) {
            return;
        }
        map.shift_remove(union);
        map.insert("enum".into(), values.into());
        for line in lines {
            add_line(map, &line);
        }
    }
}

/// OpenAPI has a flag beside the type.
pub(super) fn nullable(map: &mut Object) {
    if map.shift_remove("nullable") != Some(Value::Bool(true)) {
        return;
    }
    if let Some(Value::String(kind)) = map.get("type") {
        let types = vec![kind.as_str().into(), "null".into()];
        map.insert("type".into(), Value::Array(types));
        if let Some(Value::Array(values)) = map.get_mut("enum") {
            values.push(Value::Null);
        }
    }
}

/// One of several types, with the keywords that are about it.
pub(super) fn of_type(map: &Object, kind: &str) -> Value {
    let mut branch: Object = map
        .iter()
        .filter(|(keyword, _)| !matches!(keyword.as_str(), "description" | "default"))
        .map(|(keyword, value)| (keyword.clone(), value.clone()))
        .collect();
    if kind == "null" {
        branch.clear();
    }
    branch.insert("type".into(), kind.into());
    branch.into()
}

/// Moves what stands beside a union into its branches: the fields of a struct around a flattened enum, the type of a
/// value with alternative bounds. What is said of the whole stays.
pub(super) fn distribute(map: &mut Object, alternatives: &mut Vec<Value>) {
    let stays = ["description", "default", "examples", "title", "deprecated", NOTES, CHECK, ALIASES];
    let is_object = map.contains_key("properties");
    let has_no_type = |alternative: &Value| {
        ["type", "$ref", "enum", "const"].iter().all(|keyword| alternative.get(*keyword).is_none())
    };
    if !is_object && !alternatives.iter().all(has_no_type) {
        return;
    }
    let (whole, beside): (Object, Object) =
        std::mem::take(map).into_iter().partition(|(keyword, _)| stays.contains(&keyword.as_str()));
    *map = whole;
    if beside.is_empty() {
        return;
    }
    if is_object {
        // Only objects have fields.
        alternatives.retain(|alternative| alternative.get("type").is_none_or(|kind| kind == "object"));
    }
    for alternative in alternatives {
        if let Value::Object(branch) = alternative {
            merge(branch, &beside.clone().into());
        }
    }
}

/// Adds a branch; of one that is a union itself, its branches, because nothing may stand beside a union.
pub(super) fn push_branch(branches: &mut Vec<Value>, mut branch: Value) {
    let inner = branch.as_object_mut().and_then(|map| map.shift_remove("anyOf"));
    let Some(Value::Array(inner)) = inner else { return branches.push(branch) };
    for mut alternative in inner {
        if let (Value::Object(alternative), Some(doc)) = (&mut alternative, branch["description"].as_str()) {
            let own = alternative.get("description").and_then(Value::as_str);
            let text = own.map_or_else(|| doc.to_owned(), |own| format!("{doc} {own}"));
            alternative.insert("description".into(), text.into());
        }
        if !branches.contains(&alternative) {
            branches.push(alternative);
        }
    }
}

/// Makes one object of a union of objects, which no provider takes at the root: the tag becomes an `enum`, the other
/// fields are optional, and the description has a line for each variant.
pub(super) fn flatten_root(normaliser: &mut Normaliser<'_>, root: &mut Object) -> Result<(), SchemaError> {
    let Some(Value::Array(branches)) = root.shift_remove("oneOf").or_else(|| root.shift_remove("anyOf")) else {
        return Ok(());
    };
    let maps: Vec<&Object> = branches.iter().filter_map(Value::as_object).collect();
    if maps.len() == branches.len() && maps.iter().all(|map| map.len() == 1 && map.contains_key("required")) {
        let choices: Vec<String> = maps.iter().map(|map| names(map).join("+")).collect();
        add_line(root, &format!("give one of: {}", choices.join(" | ")));
        return Ok(());
    }
    let objects = variants(normaliser, &branches)?;
    let tag = tag(&objects);
    if tag.is_none() && normaliser.is_own {
        return normaliser.fail(
            Reason::RootUnion,
            "the variants have no tag in common: tag the enum, `#[serde(tag = \"action\")]`, or take it as a field",
        );
    }
    let mut properties = root.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
    let mut required = root.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    if let Some(tag) = &tag {
        let values: Vec<_> = objects.iter().map(|object| object["properties"][tag]["const"].clone()).collect();
        properties.insert(tag.clone(), serde_json::json!({ "type": "string", "enum": values }));
        tell_variants(root, &objects, tag, &values);
        required.push(tag.as_str().into());
    }
    add_fields(normaliser, &mut properties, &objects, tag.as_deref())?;
    if tag.is_none() {
        let required_by_all = |name: &&String| objects.iter().all(|object| names(object).contains(&name.as_str()));
        required.extend(properties.keys().filter(required_by_all).map(|name| name.as_str().into()));
    }
    if normaliser.is_own {
        root.insert("additionalProperties".into(), false.into());
    }
    root.insert("type".into(), "object".into());
    root.insert("properties".into(), properties.into());
    root.insert("required".into(), required.into());
    Ok(())
}

/// The variants, as objects without references.
fn variants(normaliser: &mut Normaliser<'_>, branches: &[Value]) -> Result<Vec<Object>, SchemaError> {
    let mut objects = Vec::new();
    for branch in branches {
        let mut object = Object::new();
        merge(&mut object, branch);
        let depth = normaliser.expanding.len();
        let object = normaliser.flatten(object, false)?;
        normaliser.expanding.truncate(depth);
        if object.get("type").is_none_or(|kind| kind != "object") {
            return normaliser.fail(
                Reason::RootUnion,
                "the arguments are an object, so every variant must be one: tag the enum, `#[serde(tag = \"action\")]`",
            );
        }
        // Serde reads these from the same object; here, nothing says which fields they are.
        let is_open = |others: &Value| normaliser.is_own && *others != false;
        if object.contains_key("anyOf")
            || object.contains_key("oneOf")
            || object.get("additionalProperties").is_some_and(is_open)
        {
            return normaliser.fail(
                Reason::RootUnion,
                "a variant holds an enum or a map, whose fields nobody can tell from its own: give it a field of its own",
            );
        }
        objects.push(object);
    }
    Ok(objects)
}

/// What each variant requires: a line of the description for the model, and data for the check of a call.
fn tell_variants(root: &mut Object, objects: &[Object], tag: &str, values: &[Value]) {
    for (object, value) in objects.iter().zip(values) {
        let required: Vec<&str> = names(object).into_iter().filter(|name| *name != tag).collect();
        let rest = if required.is_empty() {
            "no other required fields".to_owned()
        } else {
            format!("requires {}", required.join(", "))
        };
        let doc = object.get("description").and_then(Value::as_str).map(|doc| {
            let doc = doc.split_whitespace().collect::<Vec<_>>().join(" ");
            format!("{}; ", doc.trim_end_matches('.'))
        });
        let doc = doc.unwrap_or_default();
        add_line(root, &format!("{tag} {}: {doc}{rest}", value.as_str().unwrap_or_default()));
    }
    let variants = objects.iter().zip(values).map(|(object, value)| {
        let fields = object.get("properties").and_then(Value::as_object).into_iter().flatten();
        let fields: Vec<&String> = fields.map(|(name, _)| name).collect();
        serde_json::json!({ "value": value, "fields": fields, "required": object.get("required") })
    });
    root.insert(VARIANTS.into(), serde_json::json!({ "tag": tag, "variants": variants.collect::<Vec<_>>() }));
}

/// Adds the fields of variants. Two of one name have one type, and may differ in what is said of them.
fn add_fields(
    normaliser: &Normaliser<'_>,
    properties: &mut Object,
    objects: &[Object],
    tag: Option<&str>,
) -> Result<(), SchemaError> {
    let mut fields: Vec<(&String, Vec<(String, &Value)>)> = Vec::new();
    for object in objects {
        let variant = tag.and_then(|tag| object["properties"][tag]["const"].as_str()).unwrap_or_default();
        let own = object.get("properties").and_then(Value::as_object).into_iter().flatten();
        for (name, schema) in own.filter(|(name, _)| Some(name.as_str()) != tag) {
            match fields.iter_mut().find(|(other, _)| *other == name) {
                Some((_, schemas)) => schemas.push((variant.to_owned(), schema)),
                None => fields.push((name, vec![(variant.to_owned(), schema)])),
            }
        }
    }
    for (name, schemas) in fields {
        if properties.get(name).is_some_and(|present| essence(present) != essence(schemas[0].1)) {
            let message = format!("a variant has another type for the field `{name}`: rename one of them");
            return normaliser.fail(Reason::RootUnion, &message);
        }
        if let Some((other, _)) = schemas.iter().find(|(_, schema)| essence(schema) != essence(schemas[0].1)) {
            let message = format!(
                "two variants of `{}`, `{}` and `{other}`, have a field `{name}` of different types or constraints: rename one of them",
                normaliser.root_name(),
                schemas[0].0,
            );
            return normaliser.fail(Reason::RootUnion, &message);
        }
        properties.insert(name.clone(), shared(&schemas));
    }
    Ok(())
}

/// A schema without what variants may say in their own ways: docs, a default, and whether there may be nothing.
fn essence(schema: &Value) -> Value {
    let Value::Object(map) = schema else { return schema.clone() };
    let mut map = map.clone();
    if let Some(Value::Object(branch)) = without_null(&mut map) {
        map.extend(branch);
    }
    map.shift_remove("description");
    map.shift_remove("default");
    map.into()
}

/// The schema of a field that several variants have: each one's docs on a line, where they differ.
fn shared(schemas: &[(String, &Value)]) -> Value {
    let (_, first) = &schemas[0];
    if schemas.iter().all(|(_, schema)| schema == first) {
        return (*first).clone();
    }
    let mut schema = essence(first);
    let docs = schemas.iter().filter_map(|(variant, schema)| Some((variant, schema["description"].as_str()?)));
    let docs: Vec<_> = docs.collect();
    if let (Value::Object(map), Some((_, doc))) = (&mut schema, docs.first()) {
        if docs.iter().all(|(_, other)| other == doc) {
            map.insert("description".into(), (*doc).into());
        } else {
            for (variant, doc) in docs {
                add_line(map, &line(variant, doc));
            }
        }
    }
    schema
}

/// The field that is another constant in every variant.
fn tag(objects: &[Object]) -> Option<String> {
    let first = objects.first()?.get("properties")?.as_object()?;
    let is_tag = |name: &String| {
        objects.iter().all(|object| object.get("properties").is_some_and(|fields| fields[name]["const"].is_string()))
    };
    first.keys().find(|name| is_tag(name)).cloned()
}

/// The required fields.
fn names(schema: &Object) -> Vec<&str> {
    let names = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    names.filter_map(Value::as_str).collect()
}
