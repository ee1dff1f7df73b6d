//! What each provider takes of a schema: the rules, keyword by keyword.

use serde_json::Value;

use super::{Dialect, limits};
use crate::schema::normal::{CHECK, NOTES, Object, add_note, types};
use crate::schema::report::Notes;
use crate::schema::walk::escape;
use crate::schema::{Reason, SchemaError};

/// Rewrites a normal form for a dialect.
pub(in crate::schema) fn render(normal: &Value, dialect: Dialect) -> Result<(Value, Notes), SchemaError> {
    let mut renderer = Renderer { dialect, pointer: Vec::new(), notes: Notes::new() };
    let Value::Object(root) = normal else { return Ok((normal.clone(), Notes::new())) };
    let mut root = root.clone();
    let definitions = root.shift_remove("$defs");
    let mut schema = renderer.node(&root)?;
    if let (Value::Object(schema), Some(Value::Object(definitions))) = (&mut schema, definitions) {
        let mut done = Object::new();
        for (name, definition) in definitions {
            let definition = renderer.at(&["$defs", &name], |this| this.value(&definition))?;
            done.insert(name, definition);
        }
        schema.insert("$defs".into(), done.into());
    }
    if dialect == Dialect::OpenAiStrict {
        limits::check(&schema)?;
    }
    Ok((schema, renderer.notes))
}

struct Renderer {
    dialect: Dialect,
    pointer: Vec<String>,
    notes: Notes,
}

impl Renderer {
    fn is(&self, dialects: &[Dialect]) -> bool {
        dialects.contains(&self.dialect)
    }

    fn is_strict(&self) -> bool {
        self.is(&[Dialect::OpenAiStrict, Dialect::AnthropicStrict])
    }

    fn value(&mut self, schema: &Value) -> Result<Value, SchemaError> {
        match schema {
            Value::Object(map) => self.node(map),
            other => Ok(other.clone()),
        }
    }

    fn node(&mut self, source: &Object) -> Result<Value, SchemaError> {
        let mut map = source.clone();
        if map.contains_key("$ref") {
            if self.is(&[Dialect::Google, Dialect::AnthropicStrict]) {
                return self.fail(Reason::RecursiveRef, "the type contains itself: give it a fixed depth");
            }
            return Ok(map.into());
        }
        if let Some(Value::Array(branches)) = map.shift_remove("anyOf") {
            return self.any_of(map, &branches);
        }
        let types = types(&map);
        if types.is_empty() {
            return self.untyped(map);
        }
        if types == ["null"] && self.dialect == Dialect::Google {
            return self.fail(Reason::NullOnly, "a value that can only be null has no type here: leave the field out");
        }
        self.enumeration(&mut map)?;
        for kind in &types {
            match kind.as_str() {
                "object" => self.object(&mut map)?,
                "array" => self.array(&mut map)?,
                "string" => self.string(&mut map),
                "integer" | "number" => self.number(&mut map),
                _ => {}
            }
        }
        if map.contains_key("default") && (self.is_strict() || self.dialect == Dialect::Google) {
            self.note(&mut map, "default", "default");
        }
        let is_nullable = types.len() > 1 && types.iter().any(|kind| kind == "null");
        if is_nullable && self.is(&[Dialect::Google, Dialect::AnthropicStrict]) {
            map = self.without_null_type(map, &types);
        }
        Ok(described(map).into())
    }

    /// A type or null, where a list of types is not known.
    fn without_null_type(&mut self, mut map: Object, types: &[String]) -> Object {
        let kind = types.iter().find(|kind| *kind != "null").cloned().unwrap_or_default();
        map.insert("type".into(), kind.into());
        if let Some(Value::Array(values)) = map.get_mut("enum") {
            values.retain(|value| !value.is_null());
        }
        if self.dialect == Dialect::Google {
            map.insert("nullable".into(), true.into());
            return map;
        }
        let mut union = Object::new();
        for keyword in ["description", NOTES] {
            if let Some(value) = map.shift_remove(keyword) {
                union.insert(keyword.into(), value);
            }
        }
        union.insert("anyOf".into(), vec![Value::from(map), null()].into());
        union
    }

    fn any_of(&mut self, mut map: Object, branches: &[Value]) -> Result<Value, SchemaError> {
        let mut rendered = Vec::new();
        for (index, branch) in branches.iter().enumerate() {
            if self.dialect == Dialect::Google && branch["type"] == "null" {
                continue;
            }
            rendered.push(self.at(&["anyOf", &index.to_string()], |this| this.value(branch))?);
        }
        if self.dialect != Dialect::Google {
            map.insert("anyOf".into(), rendered.into());
            return Ok(described(map).into());
        }
        // Vertex takes nothing beside `anyOf`.
        let is_nullable = rendered.len() < branches.len();
        let description = described(map).remove("description");
        for branch in &mut rendered {
            let Value::Object(branch) = branch else { continue };
            if let Some(Value::String(description)) = &description {
                let own = branch.get("description").and_then(Value::as_str);
                let text = own.map_or_else(|| description.clone(), |own| format!("{description} {own}"));
                branch.insert("description".into(), text.into());
            }
            if is_nullable {
                branch.insert("nullable".into(), true.into());
            }
            sort_keys(branch);
        }
        match <[Value; 1]>::try_from(rendered) {
            Ok([one]) => Ok(one),
            Err(several) => Ok(Object::from_iter([("anyOf".to_owned(), several.into())]).into()),
        }
    }

    /// Any value at all.
    fn untyped(&mut self, map: Object) -> Result<Value, SchemaError> {
        if self.is_strict() {
            return self.fail(
                Reason::UntypedValue,
                "a value of any shape has no type to constrain: write a type, or send the tool without strict mode",
            );
        }
        if self.dialect != Dialect::Google {
            return Ok(described(map).into());
        }
        let branches = serde_json::json!([
            { "type": "string" },
            { "type": "number" },
            { "type": "boolean" },
            { "type": "object" },
            { "type": "array", "items": { "type": "string" } },
        ]);
        let Value::Array(mut branches) = branches else { return Ok(Value::Null) };
        if let Some(description) = described(map).remove("description") {
            for branch in &mut branches {
                branch["description"] = description.clone();
            }
        }
        Ok(serde_json::json!({ "anyOf": branches }))
    }

    fn enumeration(&mut self, map: &mut Object) -> Result<(), SchemaError> {
        let Some(Value::Array(values)) = map.get("enum") else { return Ok(()) };
        if self.dialect != Dialect::Google {
            return Ok(());
        }
        if values.iter().any(|value| value == "") {
            return self.fail(Reason::EmptyEnumValue, "an empty value is refused: rename the variant");
        }
        // Anything else makes the whole request fail.
        let is_text = types(map).iter().all(|kind| kind == "string" || kind == "null");
        if !is_text {
            let values: Vec<String> = values.iter().map(Value::to_string).collect();
            let note = format!("allowed values: {}", values.join(", "));
            map.shift_remove("enum");
            add_note(map, &note);
            self.remember("enum", note);
        }
        Ok(())
    }

    fn object(&mut self, map: &mut Object) -> Result<(), SchemaError> {
        let required = map.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
        let mut properties = Object::new();
        for (name, schema) in map.get("properties").and_then(Value::as_object).cloned().into_iter().flatten() {
            self.property_name(&name)?;
            let mut rendered = self.at(&["properties", &name], |this| this.value(&schema))?;
            let is_optional = !required.iter().any(|other| *other == name);
            if is_optional && self.dialect == Dialect::OpenAiStrict {
                rendered = nullable(rendered);
            }
            properties.insert(name, rendered);
        }
        match map.get("additionalProperties").cloned() {
            None | Some(Value::Bool(false)) => {}
            Some(_) if self.is_strict() => {
                return self.fail(
                    Reason::OpenMap,
                    "strict mode closes every object, so a map can only be empty: take a list of entries, or send the tool without strict mode",
                );
            }
            Some(others) if self.dialect == Dialect::Google => {
                let note = if properties.is_empty() {
                    format!("a map from string keys to {}", others["type"].as_str().unwrap_or("any value"))
                } else {
                    "other keys allowed".to_owned()
                };
                add_note(map, &note);
                self.remember("additionalProperties", note);
                map.shift_remove("additionalProperties");
            }
            Some(others) => {
                let others = self.at(&["additionalProperties"], |this| this.value(&others))?;
                map.insert("additionalProperties".into(), others);
            }
        }
        match self.dialect {
            Dialect::OpenAiStrict => {
                let names: Vec<Value> = properties.keys().map(|name| name.as_str().into()).collect();
                map.insert("required".into(), names.into());
                close(map);
            }
            Dialect::AnthropicStrict => close(map),
            Dialect::Google => {
                map.shift_remove("additionalProperties");
            }
            _ => {}
        }
        for keyword in ["minProperties", "maxProperties"] {
            if self.dialect == Dialect::Google || self.is_strict() {
                self.note(map, keyword, keyword);
            }
        }
        if properties.is_empty() && self.dialect == Dialect::Google {
            map.shift_remove("properties");
        } else {
            map.insert("properties".into(), properties.into());
        }
        Ok(())
    }

    fn property_name(&self, name: &str) -> Result<(), SchemaError> {
        if self.dialect.takes_property(name) {
            return Ok(());
        }
        let others =
            if matches!(self.dialect, Dialect::Anthropic | Dialect::AnthropicStrict) { "`_ . -`" } else { "`_`" };
        self.fail(
            Reason::PropertyName,
            &format!("`{name}` is no name of a property here: rename it to at most 64 letters, digits and {others}"),
        )
    }

    fn array(&mut self, map: &mut Object) -> Result<(), SchemaError> {
        if let Some(items) = map.get("items").cloned() {
            let items = self.at(&["items"], |this| this.value(&items))?;
            map.insert("items".into(), items);
        }
        if self.dialect == Dialect::AnthropicStrict {
            for keyword in ["minItems", "maxItems"] {
                let is_known =
                    keyword == "minItems" && map.get(keyword).and_then(Value::as_u64).is_some_and(|least| least < 2);
                if !is_known {
                    self.note(map, keyword, keyword);
                }
            }
        }
        Ok(())
    }

    fn string(&mut self, map: &mut Object) {
        if self.is_strict() {
            for keyword in ["minLength", "maxLength"] {
                self.note(map, keyword, keyword);
            }
            // Neither lookaround nor a reference back.
            let is_refused = |pattern: &str| {
                let groups = ["(?=", "(?!", "(?<=", "(?<!", "\\k<"];
                let refers_back =
                    pattern.as_bytes().windows(2).any(|pair| pair[0] == b'\\' && (b'1'..=b'9').contains(&pair[1]));
                refers_back || groups.iter().any(|group| pattern.contains(group))
            };
            if map.get("pattern").and_then(Value::as_str).is_some_and(is_refused) {
                self.note_text(map, "pattern");
            }
        }
        let format = map.get("format").and_then(Value::as_str).unwrap_or_default();
        let is_known = match self.dialect {
            Dialect::Google => format == "date-time",
            Dialect::OpenAiStrict => format != "uri",
            _ => true,
        };
        if !is_known {
            self.note_text(map, "format");
        }
    }

    fn number(&mut self, map: &mut Object) {
        let format = map.get("format").and_then(Value::as_str).unwrap_or_default();
        let is_known = self.dialect == Dialect::Google && ["int32", "int64", "float", "double"].contains(&format);
        if !is_known {
            // Not in the portable form, so no loss.
            map.shift_remove("format");
        }
        match self.dialect {
            // Of Gemini's newer form, only the bounds are known to be accepted.
            Dialect::Google | Dialect::GoogleJsonSchema => {
                self.note(map, "exclusiveMinimum", "greater than");
                self.note(map, "exclusiveMaximum", "less than");
                self.note(map, "multipleOf", "multiple of");
            }
            Dialect::AnthropicStrict => {
                for keyword in ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"] {
                    self.note(map, keyword, keyword);
                }
            }
            _ => {}
        }
    }

    /// Moves a keyword into the description: `words: value`, or `words value` for words that are no keyword.
    fn note(&mut self, map: &mut Object, keyword: &str, words: &str) {
        let Some(value) = map.shift_remove(keyword) else { return };
        let separator = if words == keyword { ": " } else { " " };
        let note = format!("{words}{separator}{value}");
        add_note(map, &note);
        self.remember(keyword, note);
    }

    fn note_text(&mut self, map: &mut Object, keyword: &str) {
        let Some(Value::String(value)) = map.shift_remove(keyword) else { return };
        let note = format!("{keyword}: {value}");
        add_note(map, &note);
        self.remember(keyword, note);
    }

    fn remember(&mut self, keyword: &str, note: String) {
        let pointer: String = self.pointer.iter().map(|segment| format!("/{}", escape(segment))).collect();
        self.notes.insert((pointer, keyword.to_owned()), note);
    }

    fn at<T>(
        &mut self,
        segments: &[&str],
        step: impl FnOnce(&mut Self) -> Result<T, SchemaError>,
    ) -> Result<T, SchemaError> {
        let depth = self.pointer.len();
        self.pointer.extend(segments.iter().map(|segment| (*segment).to_owned()));
        let result = step(self);
        self.pointer.truncate(depth);
        result
    }

    fn fail<T>(&self, reason: Reason, message: &str) -> Result<T, SchemaError> {
        let mut path = Vec::new();
        let mut segments = self.pointer.iter().map(String::as_str);
        while let Some(keyword) = segments.next() {
            match keyword {
                "properties" | "$defs" => path.extend(segments.next()),
                "anyOf" => _ = segments.next(),
                _ => path.push("*"),
            }
        }
        Err(SchemaError { reason, path: path.join("."), message: message.to_owned() })
    }
}

fn close(map: &mut Object) {
    map.insert("additionalProperties".into(), false.into());
}

fn null() -> Value {
    serde_json::json!({ "type": "null" })
}

/// The value or null, as OpenAI's strict mode writes an optional one.
fn nullable(schema: Value) -> Value {
    let Value::Object(mut map) = schema else { return schema };
    if types(&map).iter().any(|kind| kind == "null") {
        return map.into();
    }
    match map.get("type").and_then(Value::as_str) {
        Some("object" | "array") | None => {
            let mut union = Object::new();
            if let Some(description) = map.shift_remove("description") {
                union.insert("description".into(), description);
            }
            let mut branches = match map.shift_remove("anyOf") {
                Some(Value::Array(branches)) => branches,
                _ if map.is_empty() => Vec::new(),
                _ => vec![map.into()],
            };
            if !branches.contains(&null()) {
                branches.push(null());
            }
            union.insert("anyOf".into(), branches.into());
            union.into()
        }
        Some(kind) => {
            let types = Value::from(vec![kind, "null"]);
            map.insert("type".into(), types);
            if let Some(Value::Array(values)) = map.get_mut("enum") {
                values.push(Value::Null);
            }
            map.into()
        }
    }
}

/// Writes the notes into the description, and puts the keys in order.
fn described(mut map: Object) -> Object {
    map.shift_remove(CHECK);
    if let Some(Value::Array(notes)) = map.shift_remove(NOTES) {
        let notes: Vec<&str> = notes.iter().filter_map(Value::as_str).collect();
        let notes = notes.join(", ");
        let description = match map.get("description").and_then(Value::as_str) {
            None | Some("") => notes,
            Some(description) => format!("{description} ({notes})"),
        };
        map.insert("description".into(), description.into());
    }
    sort_keys(&mut map);
    map
}

/// Keys in the order in which a person reads a schema.
fn sort_keys(map: &mut Object) {
    const ORDER: [&str; 9] =
        ["type", "enum", "description", "default", "properties", "required", "additionalProperties", "items", "$defs"];
    let rank = |key: &str| ORDER.iter().position(|other| *other == key).unwrap_or(ORDER.len());
    let mut entries: Vec<(String, Value)> = std::mem::take(map).into_iter().collect();
    entries.sort_by_key(|(key, _)| rank(key));
    map.extend(entries);
}
