//! JSON as JavaScript has it: the texts of numbers, the order of keys, and what equals what.
//!
//! Pi's messages and conversions are JavaScript's, and a model reads the same text wherever a tool runs.

use std::fmt::Write as _;

use serde_json::{Map, Number, Value};

/// The greatest integer up to which a double has every one.
const EXACT: u64 = 1 << 53;

/// A number as JavaScript prints it.
pub(super) fn number_text(number: &Number) -> String {
    match (number.as_i64(), number.as_u64(), number.as_f64()) {
        (Some(integer), ..) if integer.unsigned_abs() <= EXACT => integer.to_string(),
        (_, Some(integer), _) if integer <= EXACT => integer.to_string(),
        (.., Some(double)) => double_text(double),
        _ => number.to_string(),
    }
}

/// The shortest digits that mean the number, with an exponent from 1e21 on and below 1e-6.
fn double_text(double: f64) -> String {
    if double == 0.0 {
        return "0".to_owned();
    }
    let scientific = format!("{double:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if (-6..21).contains(&exponent) {
        return format!("{double}");
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{}", exponent.unsigned_abs())
}

/// A double as a JSON number: an integer where it is one.
pub(super) fn number(double: f64) -> Option<Number> {
    // Integers of 64 bits decode into their types; a double has no fraction there.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "within the bounds")]
    match double {
        double if double.fract() != 0.0 => Number::from_f64(double),
        double if (-9.3e18..9.2e18).contains(&double) => Some((double as i64).into()),
        double if (0.0..1.8e19).contains(&double) => Some((double as u64).into()),
        double => Number::from_f64(double),
    }
}

/// What `Number(text)` is, if it is finite; an integer that fits stays exact.
pub(super) fn parse_number(text: &str) -> Option<Number> {
    let text = text.trim_matches(is_space);
    if text.is_empty() {
        return Some(0.into());
    }
    if let Some(radix) = [("0x", 16), ("0X", 16), ("0o", 8), ("0O", 8), ("0b", 2), ("0B", 2)]
        .into_iter()
        .find_map(|(prefix, radix)| text.strip_prefix(prefix).map(|digits| (digits, radix)))
    {
        let (digits, radix) = radix;
        let digits: Option<Vec<u32>> = digits.chars().map(|digit| digit.to_digit(radix)).collect();
        let digits = digits.filter(|digits| !digits.is_empty())?;
        return number(digits.into_iter().fold(0.0, |sum, digit| sum * f64::from(radix) + f64::from(digit)));
    }
    // Rust knows other words for infinity than JavaScript, and neither is finite.
    if !text.chars().all(|letter| letter.is_ascii_digit() || "+-.eE".contains(letter)) {
        return None;
    }
    if let Ok(integer) = text.parse::<i64>() {
        return Some(integer.into());
    }
    if let Ok(integer) = text.parse::<u64>() {
        return Some(integer.into());
    }
    text.parse().ok().filter(|double: &f64| double.is_finite()).and_then(number)
}

pub(super) fn is_space(letter: char) -> bool {
    (letter.is_whitespace() && letter != '\u{85}') || letter == '\u{feff}'
}

/// What `JSON.stringify` makes of a value, on one line.
pub(super) fn compact(value: &Value) -> String {
    let mut text = String::new();
    write_json(value, None, &mut text);
    text
}

/// The same, indented by two.
pub(super) fn pretty(value: &Value) -> String {
    let mut text = String::new();
    write_json(value, Some(0), &mut text);
    text
}

fn write_json(value: &Value, indent: Option<usize>, text: &mut String) {
    let inner = indent.map(|indent| indent + 1);
    match value {
        Value::Number(number) => text.push_str(&number_text(number)),
        Value::Array(items) if !items.is_empty() => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                separate(index, inner, text);
                write_json(item, inner, text);
            }
            new_line(indent, text);
            text.push(']');
        }
        Value::Object(map) if !map.is_empty() => {
            text.push('{');
            for (index, (key, value)) in entries(map).into_iter().enumerate() {
                separate(index, inner, text);
                let _ = write!(text, "{}:", Value::from(key.as_str()));
                if indent.is_some() {
                    text.push(' ');
                }
                write_json(value, inner, text);
            }
            new_line(indent, text);
            text.push('}');
        }
        other => {
            let _ = write!(text, "{other}");
        }
    }
}

fn separate(index: usize, indent: Option<usize>, text: &mut String) {
    if index > 0 {
        text.push(',');
    }
    new_line(indent, text);
}

fn new_line(indent: Option<usize>, text: &mut String) {
    if let Some(indent) = indent {
        text.push('\n');
        text.extend(std::iter::repeat_n("  ", indent));
    }
}

/// The entries of an object in JavaScript's order: names that are array indexes first, in ascending order.
pub(super) fn entries(map: &Map<String, Value>) -> Vec<(&String, &Value)> {
    let mut entries: Vec<_> = map.iter().collect();
    if map.keys().any(|name| name.starts_with(|first: char| first.is_ascii_digit())) {
        entries.sort_by_key(|(name, _)| array_index(name).map_or(u64::MAX, u64::from));
    }
    entries
}

fn array_index(name: &str) -> Option<u32> {
    name.parse().ok().filter(|index: &u32| *index < u32::MAX && index.to_string() == name)
}

/// JSON's equality: numbers by their value, whatever they are written like.
pub(super) fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => match (one.as_i128(), other.as_i128()) {
            (Some(one), Some(other)) => one == other,
            _ => one.as_f64() == other.as_f64(),
        },
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(name, value)| other.get(name).is_some_and(|other| same(value, other)))
        }
        (one, other) => one == other,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_are_texts_as_in_javascript() {
        for (number, text) in [
            (json!(1.0), "1"),
            (json!(-0.0), "0"),
            (json!(100.5), "100.5"),
            (json!(1e21), "1e+21"),
            (json!(1e20), "100000000000000000000"),
            (json!(1e-6), "0.000001"),
            (json!(1e-7), "1e-7"),
            (json!(1.5e-9), "1.5e-9"),
            (json!(123_456_789_012_345_680_000_000.0), "1.2345678901234569e+23"),
            (json!(u64::MAX), "18446744073709552000"),
            (json!(-5), "-5"),
        ] {
            assert_eq!(compact(&number), text);
        }
    }

    #[test]
    fn texts_are_numbers_as_in_javascript() {
        for (text, number) in [
            ("", json!(0)),
            (" \u{feff}7\n", json!(7)),
            ("+7", json!(7)),
            ("-.5", json!(-0.5)),
            ("5.", json!(5)),
            ("1e3", json!(1000)),
            ("0x1F", json!(31)),
            ("18446744073709551615", json!(u64::MAX)),
            ("-9223372036854775808", json!(i64::MIN)),
        ] {
            assert_eq!(parse_number(text).map(Value::from), Some(number), "{text}");
        }
        for text in ["x", "1,0", "0x", "-0x1", "Infinity", "inf", "nan", "1e400", "1e", ".", "\u{85}1", "1_0"] {
            assert_eq!(parse_number(text), None, "{text}");
        }
    }

    #[test]
    fn indexes_come_first() {
        let value = serde_json::from_str(r#"{"b":1,"2":[],"10":{"x":null},"01":"é\u0007"}"#).unwrap();
        assert_eq!(compact(&value), r#"{"2":[],"10":{"x":null},"b":1,"01":"é\u0007"}"#);
        assert_eq!(pretty(&json!({ "a": [1, {}] })), "{\n  \"a\": [\n    1,\n    {}\n  ]\n}");
    }
}
