//! Whether the schema and the types agree: what the one accepts the other decodes, for generated values.

use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};

use crate::pipeline;
use crate::schema::{Check, Parameters, Warning, escape, kinds, walk};
use crate::tool::Entry;

/// So many values tell the difference without costing a test its time.
const ROUNDS: u64 = 200;

/// How deep a value may be.
const DEEP: usize = 16;

/// About what the schema and the types do not agree: the first value each way.
///
/// Integers end where those of 64 bits with a sign end: serde adds up the two of a `Duration`. Two leniencies of serde's
/// derives are no disagreement: a struct may be an array of its fields, and a variant without data a map from its name to
/// null. They are never generated.
#[derive(Debug, Default)]
pub(super) struct Disagreements {
    pub(super) problems: Vec<String>,
    /// What no schema that is published could say better.
    pub(super) warnings: Vec<Warning>,
}

impl Disagreements {
    pub(super) fn of(entry: &Entry, parameters: &Parameters) -> Self {
        let check = parameters.check();
        let mut types = check.without_constraints();
        if entry.tool.is_prepared() {
            // It is not the types that close the arguments.
            types.open();
        }
        // What `prepare` would make of it, or what belongs to no variant, is no matter of the types alone.
        let is_of_types = entry.spec.prepare.is_none() && parameters.variants().is_none();
        let mut found = Self::default();
        let mut is_tried = false;
        // Fewer of a large type: it has more places in each.
        let mut size = 0;
        walk(&check.schema, &mut |_, _| size += 1);
        for seed in 1..=(ROUNDS * 100 / (size + 1)).clamp(10, ROUNDS) {
            let mut generator = Generator { check, random: Random(seed) };
            let Some(value) = generator.value(&check.schema, 0) else { continue };
            is_tried = true;
            found.try_value(entry, parameters, &value);
            let mut other = value;
            generator.spoil(&mut other);
            if is_of_types
                && found.problems.is_empty()
                && entry.decode(raw(&other).get()).is_ok()
                && let Some(problem) = pipeline::first_problem(other.clone(), &types)
            {
                found.problems.push(format!("the type accepts {other}, and the schema refuses it: {problem}"));
            }
        }
        if !is_tried {
            found.warn("", "no value was made of it to try: write `examples` for texts with a pattern or a format");
        }
        found
    }

    fn try_value(&mut self, entry: &Entry, parameters: &Parameters, value: &Value) {
        let Ok(text) = pipeline::check(entry.spec, &raw(value), parameters, false) else { return };
        let Err(error) = entry.decode(text.get()) else { return };
        let path = pipeline::path_of(text.get(), &error);
        let checked: Value = serde_json::from_str(text.get()).unwrap_or_default();
        let at = path.split('.').try_fold(&checked, |value, segment| match value {
            Value::Array(items) => items.get(segment.parse::<usize>().ok()?),
            value => value.get(segment),
        });
        if at.is_some_and(Value::is_string) {
            return self
                .warn(&path, "the type refuses some texts that the schema accepts: a `pattern` would tell the model");
        }
        let without_keys = raw(&without_keys(&checked, &parameters.check().schema));
        if entry.decode(without_keys.get()).is_ok() {
            return self
                .warn(&path, "the type of a map's keys refuses some that the schema accepts: tell the model which");
        }
        if self.problems.is_empty() {
            self.problems.push(format!("the schema accepts {value}, and the type refuses it: {error}"));
        }
    }

    fn warn(&mut self, path: &str, text: &'static str) {
        let pointer =
            path.split('.').filter(|segment| !segment.is_empty()).map(|segment| format!("/{}", escape(segment)));
        let warning = Warning { pointer: pointer.collect(), text: text.into() };
        if self.warnings.iter().all(|other| other.text != warning.text) {
            self.warnings.push(warning);
        }
    }
}

/// Without the entries of maps.
fn without_keys(value: &Value, schema: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let branches = schema["anyOf"].as_array().into_iter().flatten();
            let properties = branches.chain([schema]).filter_map(|schema| schema["properties"].as_object());
            let declared: Vec<_> = properties.collect();
            let kept = map.iter().filter_map(|(name, value)| {
                let schema = declared.iter().find_map(|properties| properties.get(name))?;
                Some((name.clone(), without_keys(value, schema)))
            });
            Value::Object(kept.collect())
        }
        Value::Array(items) => items.iter().map(|item| without_keys(item, &schema["items"])).collect(),
        other => other.clone(),
    }
}

fn raw(value: &Value) -> Box<RawValue> {
    to_raw_value(value).expect("a value is JSON")
}

/// Makes values that a schema accepts, and others that are near.
struct Generator<'a> {
    check: &'a Check,
    random: Random,
}

impl Generator<'_> {
    /// A value of a schema; nothing where it takes an example that is not known, as for a pattern.
    fn value(&mut self, schema: &Value, depth: usize) -> Option<Value> {
        if let Some(reference) = schema["$ref"].as_str() {
            let check = self.check;
            // A recursive type ends somewhere.
            return if depth > DEEP { None } else { self.value(check.resolve(reference)?, depth + 1) };
        }
        if let Some(values) = schema["enum"].as_array() {
            return self.random.choose(values).cloned();
        }
        if let Some(branches) = schema["anyOf"].as_array() {
            let first = self.random.below(branches.len());
            let mut order: Vec<&Value> = branches[first..].iter().chain(&branches[..first]).collect();
            if depth > DEEP / 2 {
                order.sort_by_key(|branch| refers(branch));
            }
            return order.into_iter().find_map(|branch| self.value(branch, depth + 1));
        }
        match self.random.choose(&kinds(schema)).copied() {
            Some("object") => self.object(schema, depth),
            Some("array") => self.array(schema, depth),
            Some("string") => self.text(schema),
            Some("integer") => Some(self.integer(schema)),
            Some("number") => Some(self.number(schema)),
            Some("boolean") => Some((self.random.below(2) == 0).into()),
            Some("null") => Some(Value::Null),
            _ => self.random.choose(&anything()).cloned(),
        }
    }

    fn object(&mut self, schema: &Value, depth: usize) -> Option<Value> {
        let required = schema["required"].as_array().map_or(&[][..], Vec::as_slice);
        let mut map = Map::new();
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            let is_required = required.iter().any(|other| other == name);
            if !is_required && (depth > DEEP / 2 || self.random.below(2) == 0) {
                // Models write it for nothing.
                if self.random.below(4) == 0 {
                    map.insert(name.clone(), Value::Null);
                }
                continue;
            }
            match self.value(property, depth + 1) {
                Some(value) => _ = map.insert(name.clone(), value),
                None if is_required => return None,
                None => {}
            }
        }
        let count = self.size(schema, ["minProperties", "maxProperties"], depth);
        let patterns = schema["patternProperties"].as_object();
        let keys = ["0", "1", "key", "2", "other", "-3"];
        let first = self.random.below(keys.len());
        let keys = keys[first..].iter().chain(&keys[..first]);
        for key in keys.copied().filter(|key| schema["properties"].get(key).is_none()) {
            let matching =
                patterns.into_iter().flatten().find(|(pattern, _)| self.check.matches(pattern, key) == Ok(true));
            let others = matching.map(|(_, schema)| schema).or_else(|| schema.get("additionalProperties"));
            if map.len() < count
                && let Some(others @ (Value::Object(_) | Value::Bool(true))) = others
            {
                map.insert(key.to_owned(), self.value(others, depth + 1)?);
            }
        }
        Some(map.into())
    }

    fn array(&mut self, schema: &Value, depth: usize) -> Option<Value> {
        let places = schema["prefixItems"].as_array().map_or(&[][..], Vec::as_slice);
        let count = self.size(schema, ["minItems", "maxItems"], depth);
        let items = (0..count).map(|index| self.value(places.get(index).unwrap_or(&schema["items"]), depth + 1));
        items.collect::<Option<Vec<Value>>>().map(Into::into)
    }

    fn text(&mut self, schema: &Value) -> Option<Value> {
        const FORMATS: [(&str, &str); 14] = [
            ("date", "2024-02-29"),
            ("date-time", "2024-02-29T12:30:00Z"),
            ("duration", "PT1H30M"),
            ("email", "ada@example.com"),
            ("hostname", "example.com"),
            ("ip", "127.0.0.1"),
            ("ipv4", "127.0.0.1"),
            ("ipv6", "::1"),
            ("partial-date-time", "2024-02-29T12:30:00"),
            ("partial-time", "12:30:00"),
            ("time", "12:30:00Z"),
            ("uri", "https://example.com/a"),
            ("url", "https://example.com/a"),
            ("uuid", "123e4567-e89b-12d3-a456-426614174000"),
        ];
        const TEXTS: [&str; 8] = ["", "a", "text", "some words", "42", "a@b", "é\u{1f600}", "a/b.rs"];
        let examples = schema["examples"].as_array().into_iter().flatten().chain(schema.get("default"));
        let examples: Vec<&str> = examples.filter_map(Value::as_str).collect();
        if let Some(example) = self.random.choose(&examples) {
            return Some((*example).into());
        }
        if let Some(format) = schema["format"].as_str() {
            return FORMATS.iter().find(|(name, _)| *name == format).map(|(_, example)| (*example).into());
        }
        let length = |keyword: &str| schema[keyword].as_u64().and_then(|length| usize::try_from(length).ok());
        let (least, greatest) = (length("minLength").unwrap_or(0), length("maxLength").unwrap_or(usize::MAX));
        let mut text = (*self.random.choose(&TEXTS)?).to_owned();
        let missing = least.saturating_sub(text.chars().count());
        text.extend(std::iter::repeat_n('x', missing));
        let text: String = text.chars().take(greatest).collect();
        match schema["pattern"].as_str() {
            Some(pattern) => TEXTS
                .into_iter()
                .chain([text.as_str()])
                .find(|text| self.check.matches(pattern, text) == Ok(true))
                .map(Into::into),
            None => Some(text.into()),
        }
    }

    fn integer(&mut self, schema: &Value) -> Value {
        let bound = |keyword: &str| schema[keyword].as_number().and_then(serde_json::Number::as_i128);
        let exclusive = |keyword: &str, step: i128| bound(keyword).map(|bound| bound + step);
        let least = bound("minimum").or_else(|| exclusive("exclusiveMinimum", 1)).unwrap_or(i64::MIN.into());
        let greatest = bound("maximum").or_else(|| exclusive("exclusiveMaximum", -1)).unwrap_or(i64::MAX.into());
        let step = bound("multipleOf").filter(|step| *step > 0).unwrap_or(1);
        let candidates = [0, 1, -1, 7, 300, least, greatest, i128::midpoint(least, greatest)];
        let mut value = candidates[self.random.below(candidates.len())].clamp(least, greatest);
        value -= value.rem_euclid(step);
        if value < least {
            value += step;
        }
        let value = i64::try_from(value).unwrap_or(i64::MAX);
        // It may be written like a fraction.
        match i32::try_from(value) {
            Ok(small) if self.random.below(8) == 0 => f64::from(small).into(),
            _ => value.into(),
        }
    }

    fn number(&mut self, schema: &Value) -> Value {
        let bound = |keyword: &str, exclusive: &str| schema[keyword].as_f64().or_else(|| schema[exclusive].as_f64());
        let least = bound("minimum", "exclusiveMinimum").unwrap_or(-1e9);
        let greatest = bound("maximum", "exclusiveMaximum").unwrap_or(1e9);
        let candidates = [0.0, 1.0, -1.5, 0.25, least, greatest, f64::midpoint(least, greatest)];
        candidates[self.random.below(candidates.len())].clamp(least, greatest).into()
    }

    fn size(&mut self, schema: &Value, [min, max]: [&str; 2], depth: usize) -> usize {
        let limit = |keyword: &str| schema[keyword].as_u64().and_then(|limit| usize::try_from(limit).ok());
        let least = limit(min).unwrap_or(0);
        let greatest = limit(max).unwrap_or(usize::MAX).min(least + if depth > DEEP / 2 { 0 } else { 2 });
        least + self.random.below(greatest.saturating_sub(least) + 1)
    }

    /// Changes one thing, so that the value may not be of its schema any more.
    fn spoil(&mut self, value: &mut Value) {
        match value {
            Value::Object(map) if !map.is_empty() && self.random.below(4) > 0 => {
                let index = self.random.below(map.len());
                let Some((name, value)) = map.iter_mut().nth(index) else { return };
                if self.random.below(4) > 0 {
                    return self.spoil(value);
                }
                let name = name.clone();
                map.shift_remove(&name);
            }
            Value::Object(map) => _ = map.insert("unknown".to_owned(), 1.into()),
            Value::Array(items) if !items.is_empty() && self.random.below(4) > 0 => {
                let index = self.random.below(items.len());
                self.spoil(&mut items[index]);
            }
            Value::Array(items) => items.push(json!({ "odd": [true] })),
            // An array or a map in its place might be one of serde's leniencies.
            _ => *value = self.random.choose(&scalars()).cloned().unwrap_or_default(),
        }
    }
}

/// Whether a schema contains a reference.
fn refers(schema: &Value) -> bool {
    let mut refers = false;
    walk(schema, &mut |_, map| refers |= map.contains_key("$ref"));
    refers
}

fn scalars() -> Vec<Value> {
    let numbers = json!([0, -1, 256, 65_536, 4_294_967_296_u64, i64::MIN, u64::MAX, 0.5, -1e300]);
    let others = json!([null, true, "", "text", "0", "null", "zz"]);
    [numbers, others].iter().filter_map(Value::as_array).flatten().cloned().collect()
}

fn anything() -> Vec<Value> {
    let mut values = scalars();
    values.extend([json!([]), json!({}), json!([1, "a"]), json!({ "a": { "b": null } })]);
    values
}

/// A xorshift: the values are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33).unwrap_or_default() % limit.max(1)
    }

    fn choose<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        items.get(self.below(items.len()))
    }
}
