//! Definitions, and what refers to them.

use serde_json::Value;

use super::{Normaliser, Object};
use crate::schema::SchemaError;
use crate::schema::walk::{unquote, walk};

impl Normaliser<'_> {
    /// The recursive definitions that were met, and those that they meet.
    pub(super) fn definitions(&mut self) -> Result<Object, SchemaError> {
        let mut definitions = Object::new();
        while let Some(name) = self.recursive.iter().find_map(|(name, done)| done.is_none().then(|| name.clone())) {
            let target = self.definition(&name).cloned().unwrap_or_default();
            self.expanding.push(name.clone());
            let definition = self.node(&target, false)?;
            self.expanding.clear();
            definitions.insert(plain(&name), definition.clone());
            self.recursive.insert(name, Some(definition));
        }
        Ok(definitions)
    }

    pub(super) fn root_name(&self) -> String {
        self.root["title"].as_str().unwrap_or("Root").to_owned()
    }

    /// What a `$ref` points at: the name of a definition, or all of the schema.
    pub(super) fn target(&self, reference: &str) -> Option<(String, Value)> {
        if reference == "#" {
            return Some((self.root_name(), self.root.clone()));
        }
        let name = reference.strip_prefix("#/$defs/").or_else(|| reference.strip_prefix("#/definitions/"))?;
        let name = unquote(name).replace("~1", "/").replace("~0", "~");
        let target = self.root.pointer(&unquote(reference.strip_prefix('#')?))?.clone();
        Some((name, target))
    }

    fn definition(&self, name: &str) -> Option<&Value> {
        let definitions = self.root.get("$defs").or_else(|| self.root.get("definitions"));
        let defined = definitions.and_then(|definitions| definitions.get(name));
        defined.or_else(|| (name == self.root_name()).then_some(self.root))
    }

    /// Whether a schema refers to the definition, by whatever way.
    pub(super) fn reaches(&self, schema: &Value, name: &str, seen: &mut Vec<String>) -> bool {
        let mut references = Vec::new();
        walk(schema, &mut |pointer, map| {
            let is_definition = pointer.starts_with("/$defs/") || pointer.starts_with("/definitions/");
            let reference = map.get("$ref").and_then(Value::as_str).filter(|_| !is_definition);
            references.extend(reference.map(str::to_owned));
        });
        references.iter().filter_map(|reference| self.target(reference)).any(|(other, target)| {
            other == name
                || (!seen.contains(&other) && {
                    seen.push(other);
                    self.reaches(&target, name, seen)
                })
        })
    }
}

/// The name of a definition, in letters that need no quotes in a reference.
pub(super) fn plain(name: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_.-".contains(letter);
    name.chars().map(|letter| if is_plain(letter) { letter } else { '_' }).collect()
}
