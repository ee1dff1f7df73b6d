//! From what schemars generates to the portable form that every provider accepts.
//!
//! | Rust | portable form |
//! | --- | --- |
//! | unit enum, documented or not | `{"type":"string","enum":[…]}`; variant docs are `value: text` lines of the description |
//! | `Option<T>` | `T`, not in `required` |
//! | nested types | inlined; a recursive type is a root `$defs` entry |
//! | integers, floats | `type` and bounds, no `format` |
//! | no parameters | `{"type":"object","properties":{}}` |

use std::collections::BTreeMap;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::argument::Argument;
use crate::string_enum::{ALIASES, line};

pub use crate::string_enum::string_enum;

/// The parameters of a tool, in the portable form.
#[derive(Clone, Debug)]
pub struct Parameters {
    schema: Value,
    aliases: Vec<ValueAlias>,
}

/// A value of one parameter that is accepted in place of another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ValueAlias {
    /// The parameter.
    pub property: String,
    /// The value that is still accepted.
    pub from: String,
    /// The value that is declared.
    pub to: String,
}

impl Parameters {
    /// The parameters that `T` decodes from.
    ///
    /// ```
    /// use pi_tools::schema::Parameters;
    /// use serde_json::json;
    ///
    /// #[derive(schemars::JsonSchema)]
    /// struct Arguments {
    ///     /// How many.
    ///     limit: Option<u32>,
    /// }
    /// assert_eq!(
    ///     Parameters::of::<Arguments>().schema(),
    ///     &json!({
    ///         "type": "object",
    ///         "properties": {"limit": {"type": "integer", "description": "How many.", "minimum": 0}},
    ///     }),
    /// );
    /// ```
    #[must_use]
    pub fn of<T: JsonSchema>() -> Self {
        Self::normalise(SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<T>())
    }

    /// The parameters that are the arguments of a function.
    pub(crate) fn of_arguments(arguments: &[Argument], is_optional: impl Fn(usize) -> bool) -> Self {
        let mut generator = SchemaSettings::draft2020_12().into_generator();
        let mut properties = Map::new();
        let mut required: Vec<Value> = Vec::new();
        for argument in arguments {
            properties.insert(argument.name.into(), parameter(argument, &mut generator));
            if !is_optional(argument.slot) {
                required.push(argument.name.into());
            }
        }
        let mut schema = Map::new();
        schema.insert("type".into(), "object".into());
        schema.insert("properties".into(), properties.into());
        if !required.is_empty() {
            schema.insert("required".into(), required.into());
        }
        schema.insert("additionalProperties".into(), false.into());
        schema.insert("$defs".into(), generator.take_definitions(true).into());
        Self::normalise(schema.into())
    }

    /// The parameters that are the fields of one argument.
    pub(crate) fn of_flattened(argument: &Argument) -> Self {
        let mut generator = SchemaSettings::draft2020_12().into_generator();
        let mut schema = (argument.schema)(&mut generator);
        schema.insert("$defs".into(), generator.take_definitions(true).into());
        Self::normalise(schema)
    }

    /// Brings a generated schema into the portable form.
    #[must_use]
    pub fn normalise(schema: Schema) -> Self {
        let root = Value::from(schema);
        let mut normaliser = Normaliser { root: &root, expanding: Vec::new(), recursive: BTreeMap::new() };
        let mut schema = normaliser.root();
        let aliases = take_aliases(&mut schema);
        Self { schema, aliases }
    }

    /// The JSON Schema.
    #[must_use]
    pub fn schema(&self) -> &Value {
        &self.schema
    }

    /// Values that are accepted in place of others.
    #[must_use]
    pub fn aliases(&self) -> &[ValueAlias] {
        &self.aliases
    }
}

/// What is generated for one argument, with what its attributes say.
fn parameter(argument: &Argument, generator: &mut SchemaGenerator) -> Value {
    let generated = Value::from((argument.schema)(generator));
    let generated = if argument.is_field { generated["properties"][argument.name].clone() } else { generated };
    let mut map = Map::new();
    let doc = argument.doc.trim();
    if !doc.is_empty() {
        map.insert("description".into(), doc.into());
    }
    if let Some(default) = argument.default {
        map.insert("default".into(), default());
    }
    for (keyword, value) in argument.keywords {
        map.insert((*keyword).into(), value.to_json());
    }
    merge(&mut map, Some(&generated));
    map.into()
}

struct Normaliser<'a> {
    root: &'a Value,
    /// Definitions that the current node stands inside of; one that comes again is recursive.
    expanding: Vec<String>,
    /// Recursive definitions, by name; `None` until normalised.
    recursive: BTreeMap<String, Option<Value>>,
}

impl Normaliser<'_> {
    fn root(&mut self) -> Value {
        self.expanding.push(self.root_name());
        let mut root = self.node(self.root, false);
        self.expanding.clear();

        let mut definitions = Map::new();
        while let Some(name) = self.recursive.iter().find_map(|(name, done)| done.is_none().then(|| name.clone())) {
            let target = self.definition(&name).cloned().unwrap_or_else(|| Value::Object(Map::new()));
            self.expanding.push(name.clone());
            let definition = self.node(&target, false);
            self.expanding.clear();
            definitions.insert(name.clone(), definition.clone());
            self.recursive.insert(name, Some(definition));
        }

        if let Value::Object(map) = &mut root {
            // A unit struct, or nothing at all: a tool without arguments.
            if map.get("type").is_none_or(|kind| kind == "null") && !map.contains_key("anyOf") {
                map.insert("type".into(), "object".into());
                map.entry("properties").or_insert_with(|| Map::new().into());
            }
            if !definitions.is_empty() {
                map.insert("$defs".into(), definitions.into());
            }
            sort_keys(map);
        }
        root
    }

    fn root_name(&self) -> String {
        self.root["title"].as_str().unwrap_or("Root").to_owned()
    }

    /// The name of the definition behind a local `$ref`.
    fn reference(&self, map: &Map<String, Value>) -> Option<String> {
        let target = map.get("$ref")?.as_str()?;
        if target == "#" {
            return Some(self.root_name());
        }
        let name = target.strip_prefix("#/$defs/").or_else(|| target.strip_prefix("#/definitions/"))?;
        Some(name.replace("~1", "/").replace("~0", "~"))
    }

    fn definition(&self, name: &str) -> Option<&Value> {
        let definitions = self.root.get("$defs").or_else(|| self.root.get("definitions"));
        definitions
            .and_then(|definitions| definitions.get(name))
            .or_else(|| (name == self.root_name()).then_some(self.root))
    }

    fn node(&mut self, schema: &Value, optional: bool) -> Value {
        let Value::Object(source) = schema else {
            // `true` says nothing, like `{}`; `false` stays.
            return if schema == &Value::Bool(true) { Map::new().into() } else { schema.clone() };
        };
        let depth = self.expanding.len();
        let mut map = self.flatten(source.clone(), optional);
        for keyword in
            ["$schema", "$id", "$comment", "$anchor", "$defs", "definitions", "title", "readOnly", "writeOnly"]
        {
            map.remove(keyword);
        }
        fold_documented_enum(&mut map);
        if has_type(&map, "integer") || has_type(&map, "number") {
            map.remove("format");
        }
        name_lengths(&mut map);
        if has_type(&map, "object") {
            map.entry("properties").or_insert_with(|| Map::new().into());
        }
        self.children(&mut map);
        self.expanding.truncate(depth);
        sort_keys(&mut map);
        map.into()
    }

    /// Merges what `$ref`, a single `allOf`, and the null of an optional value stand for into the node itself.
    fn flatten(&mut self, mut map: Map<String, Value>, optional: bool) -> Map<String, Value> {
        loop {
            if let Some(name) = self.reference(&map) {
                if self.expanding.contains(&name) || self.definition(&name).is_none() {
                    if self.definition(&name).is_some() {
                        self.recursive.entry(name.clone()).or_insert(None);
                        map.insert("$ref".into(), format!("#/$defs/{name}").into());
                    }
                    return map;
                }
                map.remove("$ref");
                merge(&mut map, self.definition(&name));
                self.expanding.push(name);
            } else if let Some(branch) = only_branch(&map, "allOf") {
                map.remove("allOf");
                merge(&mut map, Some(&branch));
            } else if let Some((union, branch)) = optional.then(|| without_null(&mut map)).flatten() {
                map.remove(union);
                merge(&mut map, Some(&branch));
            } else {
                return map;
            }
        }
    }

    fn children(&mut self, map: &mut Map<String, Value>) {
        // `oneOf` of alternatives that are no enum: providers know only `anyOf`.
        if let Some(alternatives) = map.remove("oneOf") {
            map.insert("anyOf".into(), alternatives);
        }
        let required = map.get("required").cloned().unwrap_or_default();
        let is_required = |name: &str| required.as_array().is_some_and(|names| names.iter().any(|other| other == name));
        for (keyword, value) in map.iter_mut() {
            match (keyword.as_str(), value) {
                ("properties", Value::Object(properties)) => {
                    for (name, schema) in properties {
                        *schema = self.node(schema, !is_required(name));
                    }
                }
                ("anyOf" | "prefixItems", Value::Array(schemas)) => {
                    for schema in schemas {
                        *schema = self.node(schema, false);
                    }
                }
                ("items" | "not" | "propertyNames", schema) => *schema = self.node(schema, false),
                ("additionalProperties", schema @ Value::Object(_)) => *schema = self.node(schema, false),
                _ => {}
            }
        }
    }
}

/// Adds the keywords of `target`. Those that are there win; the lines of an enum's variants are kept all the same.
fn merge(map: &mut Map<String, Value>, target: Option<&Value>) {
    let Some(Value::Object(target)) = target else { return };
    let lines = variant_lines(target);
    for (keyword, value) in target {
        map.entry(keyword.clone()).or_insert_with(|| value.clone());
    }
    for line in lines {
        add_line(map, &line);
    }
}

/// The `value: text` lines that a string enum carries in its description.
fn variant_lines(schema: &Map<String, Value>) -> Vec<String> {
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

fn add_line(map: &mut Map<String, Value>, line: &str) {
    match map.get_mut("description") {
        Some(Value::String(description)) => {
            if !description.lines().any(|other| other == line) {
                description.push('\n');
                description.push_str(line);
            }
        }
        _ => {
            map.insert("description".into(), line.into());
        }
    }
}

fn only_branch(map: &Map<String, Value>, keyword: &str) -> Option<Value> {
    match map.get(keyword)?.as_array()?.as_slice() {
        [branch] => Some(branch.clone()),
        _ => None,
    }
}

/// Drops null from an optional value. What is left of a union of one is returned with the union's keyword.
fn without_null(map: &mut Map<String, Value>) -> Option<(&'static str, Value)> {
    if map.get("default").is_some_and(Value::is_null) {
        map.remove("default");
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
                return Some((union, branch.clone()));
            }
        }
    }
    None
}

/// `oneOf` of string constants is a plain `enum`, its descriptions are lines.
fn fold_documented_enum(map: &mut Map<String, Value>) {
    for union in ["oneOf", "anyOf"] {
        let Some(Value::Array(branches)) = map.get(union) else { continue };
        let mut values = Vec::new();
        let mut lines = Vec::new();
        for branch in branches {
            let constants = match (branch.get("const"), branch.get("enum")) {
                (Some(constant @ Value::String(_)), _) => vec![constant.clone()],
                (None, Some(Value::Array(values))) if values.iter().all(Value::is_string) => values.clone(),
                _ => return,
            };
            if let (Some(doc), [Value::String(value)]) = (branch["description"].as_str(), constants.as_slice()) {
                lines.push(line(value, doc));
            }
            values.extend(constants);
        }
        map.remove(union);
        map.insert("type".into(), "string".into());
        map.insert("enum".into(), values.into());
        for line in lines {
            add_line(map, &line);
        }
    }
}

/// `minLength` of a list is `minItems`, of a map `minProperties`: the attribute does not know the type.
fn name_lengths(map: &mut Map<String, Value>) {
    let names = if has_type(map, "array") {
        [("minLength", "minItems"), ("maxLength", "maxItems")]
    } else if has_type(map, "object") {
        [("minLength", "minProperties"), ("maxLength", "maxProperties")]
    } else {
        return;
    };
    for (of_text, own) in names {
        if let Some(length) = map.remove(of_text) {
            map.insert(own.into(), length);
        }
    }
}

fn has_type(map: &Map<String, Value>, kind: &str) -> bool {
    match map.get("type") {
        Some(Value::String(one)) => one == kind,
        Some(Value::Array(several)) => several.iter().any(|one| one == kind),
        _ => false,
    }
}

/// Keys in the order in which a person reads a schema.
fn sort_keys(map: &mut Map<String, Value>) {
    const ORDER: [&str; 9] =
        ["type", "enum", "description", "default", "properties", "required", "additionalProperties", "items", "$defs"];
    let rank = |key: &str| ORDER.iter().position(|other| *other == key).unwrap_or(ORDER.len());
    let mut entries: Vec<(String, Value)> = std::mem::take(map).into_iter().collect();
    entries.sort_by_key(|(key, _)| rank(key));
    map.extend(entries);
}

/// Removes the aliases from everywhere, and returns those of the parameters themselves.
fn take_aliases(schema: &mut Value) -> Vec<ValueAlias> {
    let mut aliases = Vec::new();
    if let Some(Value::Object(properties)) = schema.get("properties") {
        for (property, parameter) in properties {
            if let Some(Value::Object(spellings)) = parameter.get(ALIASES) {
                aliases.extend(spellings.iter().map(|(from, to)| ValueAlias {
                    property: property.clone(),
                    from: from.clone(),
                    to: to.as_str().unwrap_or_default().to_owned(),
                }));
            }
        }
    }
    strip(schema);
    aliases
}

fn strip(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.remove(ALIASES);
            map.values_mut().for_each(strip);
        }
        Value::Array(values) => values.iter_mut().for_each(strip),
        _ => {}
    }
}
