//! Whether the types of the arguments refuse by themselves what the schema closes: other fields and other words.
//!
//! The schema does not tell: `#[schemars(..)]` speaks to it alone. So the decoder is asked, at each place, with a text that
//! ends there, with a field or a word that nobody knows. What it answers must be, to the letter, what serde says of a struct
//! with these fields, or a string enum of these values. Nothing else proves it: a decoder that refuses the question may
//! take something else that the schema does not. And who reads on, to look at a value before its type does, finds the end
//! of the text.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::de::{Deserializer, StrRead};
use serde_json::{Map, Value};

use super::Entry;
use crate::schema::{Check, is_closed, kinds};
use crate::string_enum::{ALIASES, QUESTION, answer};

/// With more places, it would be the first call that is slow.
const MOST: usize = 256;

/// Whether decoding refuses whatever a schema closes. A type that panics does not.
pub(super) fn holds(entry: &Entry, check: &Check) -> bool {
    let asked = || {
        let mut probe = Probe { entry, text: String::new(), proven: 0 };
        probe.ask(&check.schema).map(|()| probe.proven)
    };
    match check.closings {
        0 => true,
        1..=MOST => {
            let proven = catch_unwind(AssertUnwindSafe(asked)).unwrap_or_default();
            // It does not get everywhere: not through a reference, which only recursive types have.
            proven == Some(check.closings)
        }
        _ => false,
    }
}

struct Probe<'a> {
    entry: &'a Entry,
    /// Up to the place that it is at.
    text: String,
    proven: usize,
}

impl Probe<'_> {
    /// Asks at each place of a schema that closes something; nothing when one does not hold.
    fn ask(&mut self, schema: &Value) -> Option<()> {
        let Value::Object(map) = schema else { return Some(()) };
        if is_closed(map) && !self.text.is_empty() {
            self.question("{", &unknown_field(map))?;
        }
        if let Some(values) = map.get("enum") {
            self.question("", &unknown_value(values, map.get(ALIASES))?)?;
        }
        for (name, property) in map.get("properties").and_then(Value::as_object).into_iter().flatten() {
            self.within(&format!("{{{}:", Value::from(name.as_str())), property)?;
        }
        if let Some(others) = map.get("additionalProperties") {
            self.within(&format!("{{\"{QUESTION}\":"), others)?;
        }
        match (map.get("prefixItems"), map.get("items")) {
            (Some(places), _) => self.places(places.as_array()?)?,
            (None, Some(items)) => self.within("[", items)?,
            (None, None) => {}
        }
        map.get("anyOf").and_then(Value::as_array).into_iter().flatten().try_for_each(|branch| self.ask(branch))
    }

    fn within(&mut self, start: &str, schema: &Value) -> Option<()> {
        let length = self.text.len();
        self.text.push_str(start);
        self.ask(schema)?;
        self.text.truncate(length);
        Some(())
    }

    /// A tuple: what is asked about one place comes after the others before it.
    fn places(&mut self, places: &[Value]) -> Option<()> {
        let mut start = "[".to_owned();
        for place in places {
            self.within(&start, place)?;
            start = format!("{start}{},", some(place));
        }
        Some(())
    }

    fn question(&mut self, start: &str, answer: &str) -> Option<()> {
        let text = format!("{}{start}\"{QUESTION}\"", self.text);
        let error = self.entry.decode(&text).err()?;
        let is_proof = error.to_string() == format!("{answer} at line 1 column {}", text.len());
        self.proven += usize::from(is_proof);
        is_proof.then_some(())
    }
}

/// What serde's derive says of a struct with these fields, which it lists with their aliases.
fn unknown_field(map: &Map<String, Value>) -> String {
    let fields = map.get("properties").and_then(Value::as_object).into_iter().flatten();
    let fields: Vec<String> = fields.map(|(name, _)| format!("`{name}`")).collect();
    let expected = match fields.as_slice() {
        [] => "there are no fields".to_owned(),
        [one] => format!("expected {one}"),
        [one, other] => format!("expected {one} or {other}"),
        several => format!("expected one of {}", several.join(", ")),
    };
    format!("unknown field `{QUESTION}`, {expected}")
}

/// What a string enum answers that reads the text of the arguments itself.
fn unknown_value(values: &Value, aliases: Option<&Value>) -> Option<String> {
    let values: Vec<&str> =
        values.as_array()?.iter().filter(|value| !value.is_null()).map(Value::as_str).collect::<Option<_>>()?;
    let aliases = aliases.and_then(Value::as_object).into_iter().flatten();
    let aliases: Vec<(&str, &str)> =
        aliases.map(|(from, to)| Some((from.as_str(), to.as_str()?))).collect::<Option<_>>()?;
    Some(answer::<&mut Deserializer<StrRead<'_>>>(&values, &aliases))
}

/// Something that most schemas accept.
fn some(schema: &Value) -> Value {
    if let Some(value) = schema["enum"].get(0) {
        return value.clone();
    }
    if let Some(branch) = schema["anyOf"].get(0) {
        return some(branch);
    }
    match kinds(schema).first() {
        Some(&"object") => {
            let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
            required.map(|name| (name.to_owned(), some(&schema["properties"][name]))).collect()
        }
        Some(&"array") => Value::Array(Vec::new()),
        Some(&"string") => "".into(),
        Some(&("integer" | "number")) => 0.into(),
        Some(&"boolean") => false.into(),
        _ => Value::Null,
    }
}
