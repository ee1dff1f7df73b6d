//! What is published as it is, and all the same does not work everywhere.

use std::borrow::Cow;
use std::fmt;

use serde::Serialize;
use serde_json::Value;

use super::normal::{CHECK, Object};
use super::walk::{escape, walk};

/// A part of a schema that some host or provider cannot do justice to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Warning {
    /// The part, as a JSON pointer into the portable form.
    pub pointer: String,
    /// What is to be expected.
    pub text: Cow<'static, str>,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = if self.pointer.is_empty() { "/" } else { &self.pointer };
        write!(f, "{place}: {}", self.text)
    }
}

const WIDE: &str = "a JavaScript host, Pi among them, loses the exact value of an integer beyond 2^53: for such numbers \
                    take a text, else bound it by `range`";
const RECURSIVE: &str = "the type contains itself, and some clients do not follow a reference";
const ANYTHING: &str = "any value fits: a model is not told what to write, and strict modes refuse it";

const DROPPED: &str = "Pi drops a parameter of this name on its way to Cloud Code Assist: rename it";

/// What Pi takes for keywords, wherever it stands.
const KEYWORDS: [&str; 9] =
    ["$anchor", "$comment", "$defs", "$dynamicAnchor", "$id", "$schema", "$vocabulary", "__proto__", "definitions"];

/// Every part of a normal form that is not the same everywhere.
pub(super) fn warnings(normal: &Value) -> Vec<Warning> {
    let mut warnings = Vec::new();
    walk(normal, &mut |pointer, map| {
        for name in map.get("properties").and_then(Value::as_object).into_iter().flat_map(Object::keys) {
            if KEYWORDS.contains(&name.as_str()) {
                warnings
                    .push(Warning { pointer: format!("{pointer}/properties/{}", escape(name)), text: DROPPED.into() });
            }
        }
        let checked = map.get(CHECK).and_then(Value::as_object).into_iter().flat_map(Object::keys);
        for keyword in checked.filter(|keyword| *keyword != "examples" && *keyword != "items") {
            let text = format!("`{keyword}` is only told in the description; calls are held to it");
            warnings.push(Warning { pointer: pointer.to_owned(), text: text.into() });
        }
        let text = if map.contains_key("$ref") {
            RECURSIVE
        } else if !map.contains_key("type") && !map.contains_key("anyOf") {
            ANYTHING
        } else if is_wide(map) {
            WIDE
        } else {
            return;
        };
        // Of a recursive type, one place says it.
        if text != RECURSIVE || warnings.iter().all(|warning| warning.text != RECURSIVE) {
            warnings.push(Warning { pointer: pointer.to_owned(), text: text.into() });
        }
    });
    warnings
}

/// Whether it is an integer of 64 bits or more whose bounds go beyond what a float holds.
fn is_wide(map: &Object) -> bool {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let (least, greatest) = match map.get("format").and_then(Value::as_str) {
        Some("int64" | "int128" | "int") => (f64::NEG_INFINITY, f64::INFINITY),
        Some("uint64" | "uint128" | "uint") => (0.0, f64::INFINITY),
        _ => return false,
    };
    let bound = |keyword: &str, natural| map.get(keyword).and_then(Value::as_f64).unwrap_or(natural);
    bound("minimum", least) < -EXACT || bound("maximum", greatest) > EXACT
}
