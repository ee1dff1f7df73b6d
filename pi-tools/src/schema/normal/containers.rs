//! Objects, lists, tuples and maps.

use serde_json::Value;

use super::{Normaliser, Object, add_check, add_line, add_note, keep};
use crate::schema::SchemaError;
use crate::schema::walk::kinds;
use crate::string_enum::line;

impl Normaliser<'_> {
    pub(super) fn object(&mut self, map: &Object, kept: &mut Object) -> Result<(), SchemaError> {
        let required = map.get("required").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let mut properties = Object::new();
        for (name, schema) in map.get("properties").and_then(Value::as_object).into_iter().flatten() {
            if schema == &Value::Bool(false) {
                continue;
            }
            let is_optional = !required.iter().any(|other| other == name);
            let node = self.at(name, |this| this.node(schema, is_optional && !this.keeps_nulls))?;
            if let (true, Some(doc)) = (node.get("$ref").is_some(), schema["description"].as_str()) {
                // The object says what a reference has no place for.
                add_line(kept, &line(name, doc));
            }
            properties.insert(name.clone(), node);
        }
        let required: Vec<Value> = required
            .iter()
            .filter(|name| name.as_str().is_some_and(|name| properties.contains_key(name)))
            .cloned()
            .collect();
        kept.insert("properties".into(), properties.into());
        if !required.is_empty() {
            kept.insert("required".into(), required.into());
        }
        for keyword in ["minProperties", "maxProperties"] {
            keep(map, kept, keyword);
        }
        let others = map.get("additionalProperties").map(|others| self.others(others)).transpose()?;
        let patterns = map.get("patternProperties").and_then(Value::as_object);
        let Some((pattern, schema)) = patterns.and_then(|patterns| patterns.iter().next()) else {
            kept.extend(others.map(|others| ("additionalProperties".to_owned(), others)));
            return Ok(());
        };
        add_note(kept, &format!("keys match {pattern}"));
        kept.insert("additionalProperties".into(), self.others(schema)?);
        let mut checked = Object::new();
        for (pattern, schema) in patterns.into_iter().flatten() {
            checked.insert(pattern.clone(), self.others(schema)?);
        }
        add_check(kept, "patternProperties", checked.into());
        add_check(kept, "additionalProperties", others.unwrap_or(Value::Bool(true)));
        Ok(())
    }

    /// The schema of what has no name.
    fn others(&mut self, schema: &Value) -> Result<Value, SchemaError> {
        match schema {
            Value::Bool(flag) => Ok((*flag).into()),
            Value::Object(map) if map.is_empty() => Ok(true.into()),
            schema => self.at("*", |this| this.node(schema, false)),
        }
    }

    pub(super) fn array(&mut self, map: &Object, kept: &mut Object) -> Result<(), SchemaError> {
        let (tuple, rest) = match (map.get("prefixItems"), map.get("items")) {
            (Some(Value::Array(tuple)), rest) => (tuple.as_slice(), rest),
            (_, Some(Value::Array(tuple))) => (tuple.as_slice(), map.get("additionalItems")),
            (_, items) => (&[][..], items),
        };
        let rest = rest.filter(|rest| **rest != Value::Bool(false));
        if tuple.is_empty() {
            let empty = Value::Bool(true);
            let items = self.at("*", |this| this.node(rest.unwrap_or(&empty), false))?;
            kept.insert("items".into(), items);
        } else {
            self.tuple(tuple, rest.map(|rest| own_item(tuple, rest).unwrap_or(rest)), kept)?;
        }
        for keyword in ["minItems", "maxItems"] {
            keep(map, kept, keyword);
        }
        if map.get("uniqueItems") == Some(&Value::Bool(true)) {
            add_note(kept, "items must be unique");
            add_check(kept, "uniqueItems", true.into());
        }
        Ok(())
    }

    /// A list of items of any of the types, of the tuple's length.
    fn tuple(&mut self, tuple: &[Value], rest: Option<&Value>, kept: &mut Object) -> Result<(), SchemaError> {
        let mut items: Vec<Value> = Vec::new();
        let mut places = Vec::new();
        let mut names = Vec::new();
        for (index, schema) in tuple.iter().chain(rest).enumerate() {
            let item = self.at(&index.to_string(), |this| this.node(schema, false))?;
            let kinds = kinds(&item);
            names.push(if kinds.is_empty() { "any".to_owned() } else { kinds.join(" or ") });
            if !items.contains(&item) {
                items.push(item.clone());
            }
            places.push(item);
        }
        if items.len() > 1 {
            let others = places.split_off(tuple.len()).pop();
            add_check(kept, "prefixItems", places.into());
            add_check(kept, "items", others.unwrap_or(Value::Bool(true)));
        }
        kept.insert("minItems".into(), tuple.len().into());
        if rest.is_none() {
            kept.insert("maxItems".into(), tuple.len().into());
        }
        if items.len() > 1 {
            let then = if rest.is_some() { names.pop() } else { None };
            let then = then.map(|name| format!(", then any number of {name}")).unwrap_or_default();
            add_note(kept, &format!("a tuple of {}{then}", names.join(", ")));
            kept.insert("items".into(), Object::from_iter([("anyOf".to_owned(), items.into())]).into());
        } else if let Some(item) = items.pop() {
            kept.insert("items".into(), item);
        }
        Ok(())
    }
}

/// The item that the rest of a tuple refers to, as zod writes it.
fn own_item<'a>(tuple: &'a [Value], rest: &Value) -> Option<&'a Value> {
    let (_, index) = rest["$ref"].as_str()?.rsplit_once("/items/")?;
    tuple.get(index.parse::<usize>().ok()?)
}

/// `minLength` of a list is `minItems`, of a map `minProperties`: the attribute does not know the type.
pub(super) fn name_lengths(map: &mut Object, types: &[String]) {
    let what = match types {
        [kind] if kind == "array" => "Items",
        [kind] if kind == "object" => "Properties",
        _ => return,
    };
    for bound in ["min", "max"] {
        if let Some(length) = map.shift_remove(&format!("{bound}Length")) {
            map.insert(format!("{bound}{what}"), length);
        }
    }
}
