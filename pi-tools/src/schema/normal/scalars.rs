//! Texts and numbers.

use serde_json::{Number, Value};

use super::{Object, add_check, add_note, keep};

/// String formats that mean the same everywhere; the rest become notes.
const FORMATS: [&str; 10] =
    ["date", "date-time", "duration", "email", "hostname", "ipv4", "ipv6", "time", "uri", "uuid"];

pub(super) fn string(map: &Object, kept: &mut Object) {
    for keyword in ["minLength", "maxLength", "pattern"] {
        keep(map, kept, keyword);
    }
    if let Some(format) = map.get("format").and_then(Value::as_str) {
        if FORMATS.contains(&format) {
            keep(map, kept, "format");
        } else {
            add_note(kept, &format!("format: {format}"));
            add_check(kept, "format", format.into());
        }
    }
}

pub(super) fn number(map: &Object, kept: &mut Object, is_integer: bool) {
    for keyword in ["format", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"] {
        keep(map, kept, keyword);
    }
    for (exclusive, inclusive, step) in [("exclusiveMinimum", "minimum", 1_i128), ("exclusiveMaximum", "maximum", -1)] {
        // Draft 4 has a flag beside the bound.
        let is_flag = kept.get(exclusive).is_some_and(Value::is_boolean);
        let bound = match kept.get(exclusive) {
            Some(Value::Bool(true)) => kept.get(inclusive).cloned(),
            Some(Value::Number(bound)) => Some(bound.clone().into()),
            _ => None,
        };
        if is_flag {
            kept.shift_remove(exclusive);
        }
        let Some(bound) = bound else { continue };
        let whole = bound.as_i64().map(i128::from).or_else(|| bound.as_u64().map(i128::from));
        let inside = whole.filter(|_| is_integer).and_then(|whole| Number::from_i128(whole + step));
        if let Some(inside) = inside {
            kept.shift_remove(exclusive);
            // The tighter one.
            let other = kept.get(inclusive).and_then(Value::as_number).and_then(Number::as_i128).filter(|_| !is_flag);
            let is_tighter = |other: i128| inside.as_i128().is_none_or(|inside| (other - inside) * step > 0);
            if !other.is_some_and(is_tighter) {
                kept.insert(inclusive.into(), inside.into());
            }
        } else if is_flag {
            kept.shift_remove(inclusive);
            kept.insert(exclusive.into(), bound);
        }
    }
}
