//! From any JSON Schema to the normal form, of which every dialect is a rewriting; the portable one says the most.
//!
//! | Rust | portable form |
//! | --- | --- |
//! | unit enum, documented or not | `{"type":"string","enum":[…]}`; variant docs are `value: text` lines of the description |
//! | `Option<T>` | `T`, not in `required` |
//! | nested types | inlined; a recursive type is a root `$defs` entry |
//! | an enum with data as all arguments | one object: the tag as `enum`, the other fields optional, a line per variant |
//! | an enum with data in a field | `anyOf`, its tag a one-value `enum` |
//! | a tuple | a list of its length, with the types in the description |
//! | integers, floats | `type` and bounds, no `format` |
//! | `serde_json::Value` | `{}` |
//! | no parameters | `{"type":"object","properties":{}}` |
//!
//! A keyword that is not listed for its type is dropped; what a model should know of it becomes a note, which a dialect
//! writes into the description. Formats of numbers stay: one dialect has them.

mod containers;
mod references;
mod scalars;
mod unenforced;
mod union;
mod unpublished;

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::Value;

pub(super) use super::walk::Object;
use super::{Reason, SchemaError};
use crate::links::without_links;
use crate::string_enum::ALIASES;

/// Brings a schema of parameters into the normal form.
///
/// Variants without a tag are merged when the schema is somebody's. As the arguments of a function they are refused:
/// nothing would tell the model what belongs together.
///
/// Beside it, what the schema says and nobody would enforce.
pub(super) fn normalise(root: &Value, is_own: bool) -> Result<(Value, Vec<String>), SchemaError> {
    let mut normaliser = Normaliser::new(root, is_own, false);
    let normal = normaliser.parameters()?;
    Ok((normal, normaliser.unenforced))
}

/// Brings the schema of what a tool gives back into the normal form. It may be of any type, and nobody leaves out a null
/// that the tool has written.
pub(super) fn normalise_output(root: &Value) -> Result<Value, SchemaError> {
    let mut normaliser = Normaliser::new(root, false, true);
    normaliser.expanding.push(normaliser.root_name());
    let schema = normaliser.node(root, false)?;
    normaliser.with_definitions(schema)
}

/// Adds the keywords of `target`. Those that are there win; the lines of an enum's variants are kept all the same.
pub(super) fn merge(map: &mut Object, target: &Value) {
    let Value::Object(target) = target else { return };
    let lines = variant_lines(target);
    for (keyword, value) in target {
        match (keyword.as_str(), map.get_mut(keyword), value) {
            // A tag beside the fields of its variant.
            ("properties", Some(Value::Object(own)), Value::Object(others)) => {
                for (name, schema) in others {
                    own.entry(name.clone()).or_insert_with(|| schema.clone());
                }
            }
            ("required", Some(Value::Array(own)), Value::Array(others)) => {
                let missing: Vec<Value> = others.iter().filter(|name| !own.contains(name)).cloned().collect();
                own.extend(missing);
            }
            (_, Some(_), _) => {}
            (_, None, _) => {
                map.insert(keyword.clone(), value.clone());
            }
        }
    }
    for line in lines {
        add_line(map, &line);
    }
}

/// The `value: text` lines that a string enum carries in its description.
fn variant_lines(schema: &Object) -> Vec<String> {
    let (Some(Value::Array(values)), Some(Value::String(description))) =
        (schema.get("enum"), schema.get("description"))
    else {
        return Vec::new();
    };
    let is_variant = |line: &&str| {
        line.split_once(": ").is_some_and(|(name, _)| values.iter().any(|value| value.as_str() == Some(name)))
    };
    description.lines().filter(is_variant).map(str::to_owned).collect()
}

/// Adds a line to the description, once.
fn add_line(map: &mut Object, line: &str) {
    let description = map.get("description").and_then(Value::as_str).unwrap_or_default();
    if !description.lines().any(|other| other == line) {
        let separator = if description.is_empty() { "" } else { "\n" };
        let description = format!("{description}{separator}{line}");
        map.insert("description".into(), description.into());
    }
}

/// The keyword under which notes are collected until a dialect writes them into the description.
pub(super) const NOTES: &str = "x-pi-tools-notes";

/// The keyword for what only the check of arguments says: keywords that providers refuse, or that have no portable form.
pub(super) const CHECK: &str = "x-pi-tools-check";

/// The keyword for what the variants of a tagged enum were, when it is all of the arguments: see
/// [`Variants`](super::Variants).
pub(super) const VARIANTS: &str = "x-pi-tools-variants";

/// Adds what a keyword says that cannot stay.
pub(super) fn add_note(map: &mut Object, note: &str) {
    match map.entry(NOTES).or_insert_with(|| Vec::<Value>::new().into()) {
        Value::Array(notes) => notes.push(note.into()),
        other => *other = vec![Value::from(note)].into(),
    }
}

/// Adds a keyword for the check of arguments alone.
fn add_check(map: &mut Object, keyword: &str, value: Value) {
    match map.entry(CHECK).or_insert_with(|| Object::new().into()) {
        Value::Object(check) => _ = check.insert(keyword.to_owned(), value),
        other => *other = Object::from_iter([(keyword.to_owned(), value)]).into(),
    }
}

/// The type or types of a schema.
pub(super) fn types(map: &Object) -> Vec<String> {
    match map.get("type") {
        None => Vec::new(),
        Some(Value::String(one)) => vec![one.clone()],
        Some(several) => {
            several.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
        }
    }
}

struct Normaliser<'a> {
    root: &'a Value,
    is_own: bool,
    /// Whether an optional value may be null, too.
    keeps_nulls: bool,
    /// Definitions that the current node stands inside of; one that comes again is recursive.
    expanding: Vec<String>,
    /// Recursive definitions, by name; `None` until normalised.
    recursive: BTreeMap<String, Option<Value>>,
    path: Vec<String>,
    /// How many schemas there are so far.
    nodes: usize,
    unenforced: Vec<String>,
}

/// More than any provider takes: types that hold the next one twice double with each.
const MAX_NODES: usize = 20_000;

impl<'a> Normaliser<'a> {
    fn new(root: &'a Value, is_own: bool, keeps_nulls: bool) -> Self {
        Self {
            root,
            is_own,
            keeps_nulls,
            expanding: Vec::new(),
            recursive: BTreeMap::new(),
            path: Vec::new(),
            nodes: 0,
            unenforced: Vec::new(),
        }
    }

    fn parameters(&mut self) -> Result<Value, SchemaError> {
        self.expanding.push(self.root_name());
        let mut root = match self.root {
            Value::Object(map) => self.flatten(map.clone(), false)?,
            _ => return self.fail(Reason::RootNotObject, "tool parameters must be an object"),
        };
        union::flatten_root(self, &mut root)?;
        match root.get("type").and_then(Value::as_str) {
            Some("object") => {}
            // A unit struct is a tool without arguments.
            Some("null") => root = Object::new(),
            None if root.contains_key("properties") => {}
            other => {
                let got = other.map_or("no type".to_owned(), |kind| format!("\"{kind}\""));
                return self.fail(Reason::RootNotObject, &format!("tool parameters must be an object, got {got}"));
            }
        }
        root.insert("type".into(), "object".into());
        let schema = self.finish(root)?;
        if schema["type"] != "object" {
            return self.fail(
                Reason::RootUnion,
                "there is both a `oneOf` and an `anyOf` of the arguments: write the variants into one of them",
            );
        }
        self.with_definitions(schema)
    }

    /// Adds the definitions of the types that contain themselves.
    fn with_definitions(&mut self, mut schema: Value) -> Result<Value, SchemaError> {
        self.expanding.clear();
        let definitions = self.definitions()?;
        if let Value::Object(map) = &mut schema
            && !definitions.is_empty()
        {
            map.insert("$defs".into(), definitions.into());
        }
        Ok(schema)
    }

    fn node(&mut self, schema: &Value, optional: bool) -> Result<Value, SchemaError> {
        let Value::Object(source) = schema else {
            // `true` says nothing, like `{}`.
            return Ok(if schema == &Value::Bool(true) { Object::new().into() } else { schema.clone() });
        };
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            return self.fail(
                Reason::TooLarge,
                &format!(
                    "there are more than {MAX_NODES} schemas, with each type written out wherever it is used: use fewer"
                ),
            );
        }
        let depth = self.expanding.len();
        let map = self.flatten(source.clone(), optional)?;
        let node = if map.contains_key("$ref") { Ok(map.into()) } else { self.finish(map) };
        self.expanding.truncate(depth);
        node
    }

    /// Merges what `$ref`, a single `allOf`, and the null of an optional value stand for into the node itself.
    fn flatten(&mut self, mut map: Object, optional: bool) -> Result<Object, SchemaError> {
        loop {
            if let Some(reference) = map.get("$ref").and_then(Value::as_str) {
                let Some((name, target)) = self.target(reference) else {
                    let problem = reference.to_owned();
                    return self.fail(Reason::UnresolvedRef, &problem);
                };
                // A reference has no place for anything else. What is said of a parameter is said, and what is beside
                // a union is kept, by writing the type out, once.
                let is_said =
                    (self.path.len() == 1 && map.contains_key("description")) || map.contains_key("properties");
                let is_bare = self.expanding.contains(&name) || !is_said;
                if is_bare && self.reaches(&target, &name, &mut Vec::new()) {
                    self.report_beside(&map, "write it into the definition, since a reference has no place for it");
                    self.recursive.entry(name.clone()).or_insert(None);
                    return Ok(Object::from_iter([(
                        "$ref".to_owned(),
                        format!("#/$defs/{}", references::plain(&name)).into(),
                    )]));
                }
                map.shift_remove("$ref");
                merge(&mut map, &target);
                self.expanding.push(name);
            } else if let Some(Value::Array(all)) = map.shift_remove("allOf") {
                let [one] = all.as_slice() else {
                    return self
                        .fail(Reason::AllOf, "only a single `allOf` can be merged, and two flattened enums are two: write the fields into one struct, or take an enum as a field");
                };
                merge(&mut map, one);
            } else if let Some(branch) = optional.then(|| union::without_null(&mut map)).flatten() {
                merge(&mut map, &branch);
            } else {
                return Ok(map);
            }
        }
    }

    /// Brings a node without references into shape.
    fn finish(&mut self, mut map: Object) -> Result<Value, SchemaError> {
        if let Some(constant) = map.shift_remove("const") {
            map.insert("enum".into(), vec![constant].into());
        }
        unenforced::evaluate(&mut map);
        self.report_unknown(&map);
        union::fold_constants(&mut map);
        union::nullable(&mut map);
        if let Some(Value::String(doc)) = map.get_mut("description")
            && let Cow::Owned(text) = without_links(doc)
        {
            *doc = text;
        }
        self.type_of_enum(&mut map)?;
        if let Some(alternatives) = map.shift_remove("oneOf").or_else(|| map.shift_remove("anyOf")) {
            return self.any_of(map, alternatives);
        }
        for (keyword, kind) in [("properties", "object"), ("required", "object"), ("items", "array")] {
            if map.contains_key(keyword) && !map.contains_key("type") {
                map.insert("type".into(), kind.into());
            }
        }
        let types = types(&map);
        let is_union = types.iter().filter(|kind| *kind != "null").count() > 1;
        let is_nullable = types.len() > 1 && types.iter().any(|kind| kind == "object" || kind == "array");
        if is_union || is_nullable {
            let branches = types.iter().map(|kind| union::of_type(&map, kind)).collect();
            let beside: Object =
                map.into_iter().filter(|(keyword, _)| keyword == "description" || keyword == "default").collect();
            return self.any_of(beside, branches);
        }
        if types.is_empty() {
            self.report_untyped(&map);
        }
        containers::name_lengths(&mut map, &types);
        let mut kept = Object::new();
        for keyword in ["type", "enum", "description", "default", ALIASES, NOTES, CHECK, VARIANTS] {
            if let Some(value) = map.get(keyword) {
                kept.insert(keyword.into(), value.clone());
            }
        }
        if kept.get("default").is_some_and(Value::is_null) {
            kept.shift_remove("default");
        }
        for kind in &types {
            match kind.as_str() {
                "object" => self.object(&map, &mut kept)?,
                "array" => self.array(&map, &mut kept)?,
                "string" => scalars::string(&map, &mut kept),
                "integer" | "number" => scalars::number(&map, &mut kept, kind == "integer"),
                "boolean" | "null" => {}
                unknown => return self.fail(Reason::UnknownType, &format!("\"{unknown}\" is no type of JSON")),
            }
        }
        if let Some(Value::Array(examples)) = map.get("examples")
            && !examples.is_empty()
        {
            let examples: Vec<String> = examples.iter().map(Value::to_string).collect();
            add_note(&mut kept, &format!("for example {}", examples.join(", ")));
        }
        if map.get("deprecated") == Some(&Value::Bool(true)) {
            add_note(&mut kept, "deprecated");
        }
        self.unpublished(&map, &mut kept)?;
        Ok(kept.into())
    }

    /// An enum has the type of its values, which is one.
    fn type_of_enum(&mut self, map: &mut Object) -> Result<(), SchemaError> {
        let Some(Value::Array(values)) = map.get("enum") else { return Ok(()) };
        let mut kinds: Vec<&str> = values.iter().map(type_of).filter(|kind| *kind != "null").collect();
        if kinds.contains(&"number") {
            kinds.retain(|kind| *kind != "integer");
        }
        kinds.dedup();
        match kinds.as_slice() {
            [] => Ok(()),
            [kind] => {
                let kind = (*kind).to_owned();
                map.entry("type").or_insert_with(|| kind.into());
                Ok(())
            }
            _ => {
                let values = Value::from(values.clone()).to_string();
                self.fail(Reason::MixedEnum, &values)
            }
        }
    }

    /// A union stands alone: what is said of all of it is said in the description.
    fn any_of(&mut self, mut map: Object, alternatives: Value) -> Result<Value, SchemaError> {
        let Value::Array(mut alternatives) = alternatives else { return Ok(Object::new().into()) };
        union::distribute(&mut map, &mut alternatives);
        self.report_beside(&map, "write it into each alternative, since a union has no place for it");
        let mut branches = Vec::new();
        for alternative in &alternatives {
            union::push_branch(&mut branches, self.node(alternative, false)?);
        }
        if let Some(default) = map.shift_remove("default")
            && !default.is_null()
        {
            add_note(&mut map, &format!("default: {default}"));
        }
        let mut union = Object::new();
        if let Some(notes) = map.shift_remove(NOTES) {
            union.insert(NOTES.into(), notes);
        }
        if let Some(Value::String(description)) = map.shift_remove("description") {
            // On each branch, where one says more, so that nobody reads it of that one alone.
            if branches.iter().any(|branch| branch["description"].is_string()) {
                let takes_text = |branch: &&mut Object| {
                    !branch.contains_key("$ref") && branch.get("type").is_none_or(|kind| kind != "null")
                };
                for branch in branches.iter_mut().filter_map(Value::as_object_mut).filter(takes_text) {
                    let own = branch.get("description").and_then(Value::as_str);
                    let text = own.map_or_else(|| description.clone(), |own| format!("{description} {own}"));
                    branch.insert("description".into(), text.into());
                }
            } else {
                union.insert("description".into(), description.into());
            }
        }
        union.insert("anyOf".into(), branches.into());
        Ok(union.into())
    }

    fn at<T>(
        &mut self,
        segment: &str,
        step: impl FnOnce(&mut Self) -> Result<T, SchemaError>,
    ) -> Result<T, SchemaError> {
        self.path.push(segment.to_owned());
        let result = step(self);
        self.path.pop();
        result
    }

    fn fail<T>(&self, reason: Reason, message: &str) -> Result<T, SchemaError> {
        Err(SchemaError { reason, path: self.path.join("."), message: message.to_owned() })
    }
}

fn keep(map: &Object, kept: &mut Object, keyword: &str) {
    if let Some(value) = map.get(keyword) {
        kept.insert(keyword.into(), value.clone());
    }
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
