//! What OpenAI's strict mode limits over a whole schema.

use serde_json::Value;

use crate::schema::{Reason, SchemaError};

/// Refuses a schema that is too large.
pub(super) fn check(schema: &Value) -> Result<(), SchemaError> {
    let mut size = Size::default();
    size.add(schema, 0);
    size.check()
}

/// The counts. Each definition counts on its own.
#[derive(Default)]
struct Size {
    levels: usize,
    properties: usize,
    enum_values: usize,
    characters: usize,
    /// Of one enum with more than 250 values.
    long_enum: usize,
}

impl Size {
    fn add(&mut self, schema: &Value, level: usize) {
        let level = level + usize::from(schema["type"] == "object");
        self.levels = self.levels.max(level);
        let values = schema["enum"].as_array().map_or(&[][..], Vec::as_slice);
        let characters = values.iter().filter_map(Value::as_str).map(|text| text.chars().count()).sum();
        self.enum_values += values.len();
        self.characters += characters;
        if values.len() > 250 {
            self.long_enum = self.long_enum.max(characters);
        }
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            self.properties += 1;
            self.characters += name.chars().count();
            self.add(property, level);
        }
        for branch in schema["anyOf"].as_array().into_iter().flatten() {
            self.add(branch, level);
        }
        if schema["items"].is_object() {
            self.add(&schema["items"], level);
        }
        for (name, definition) in schema["$defs"].as_object().into_iter().flatten() {
            self.characters += name.chars().count();
            self.add(definition, 0);
        }
    }

    fn check(&self) -> Result<(), SchemaError> {
        let limits = [
            (self.levels, 10, Reason::TooDeep, "levels of nested objects"),
            (self.properties, 5000, Reason::TooManyProperties, "properties"),
            (self.enum_values, 1000, Reason::TooManyEnumValues, "values of enums"),
            (self.long_enum, 15_000, Reason::TooLong, "characters of an enum with more than 250 values"),
            (self.characters, 120_000, Reason::TooLong, "characters of names and values"),
        ];
        let Some((number, limit, reason, what)) = limits.into_iter().find(|(number, limit, ..)| number > limit) else {
            return Ok(());
        };
        let message = format!("{number} {what} are more than {limit}: send the tool without strict mode");
        Err(SchemaError { reason, path: String::new(), message })
    }
}
