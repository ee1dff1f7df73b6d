//! The question before a call, with the call's arguments in it.

use std::fmt::Write as _;

use serde_json::Value;

/// How many characters of a value a question shows. Who answers must see what is left out, so the rest is counted.
const MAX_VALUE: usize = 500;

/// A template with its placeholders filled in: `{name}`, of which a style after a colon is no part; `{{` and `}}` are
/// braces. An argument that was left out is its default.
pub(super) fn fill(template: &str, arguments: &Value, properties: &Value) -> String {
    let mut text = String::with_capacity(template.len());
    let mut rest = template;
    while let Some(at) = rest.find(['{', '}']) {
        let (before, brace) = (&rest[..at], &rest[at..=at]);
        text.push_str(before);
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix(brace) {
            text.push_str(brace);
            rest = after;
        } else if brace == "{"
            && let Some((placeholder, after)) = rest.split_once('}')
        {
            let name = placeholder.split(':').next().unwrap_or_default();
            let property = properties.get(name);
            match arguments.get(name).or_else(|| property?.get("default")) {
                Some(value) => push(&mut text, value),
                None if property.is_some() => text.push_str("(none)"),
                // A tool by hand may name what it has not.
                None => {
                    let _ = write!(text, "{{{placeholder}}}");
                }
            }
            rest = after;
        } else {
            text.push_str(brace);
        }
    }
    text + rest
}

/// Adds a value: a text as it is, anything else as JSON.
fn push(text: &mut String, value: &Value) {
    let json;
    let value = match value {
        Value::String(value) if !value.trim().is_empty() => value,
        value => {
            json = value.to_string();
            &json
        }
    };
    value.chars().take(MAX_VALUE).for_each(|letter| push_visible(text, letter));
    let length = value.chars().count();
    if length > MAX_VALUE {
        let _ = write!(text, "… (and {} more characters)", length - MAX_VALUE);
    }
}

/// Adds a letter; one that would move what stands around it, or cannot be seen, by its escape. The values are the model's,
/// and must not look like another question.
fn push_visible(text: &mut String, letter: char) {
    if matches!(letter, '"' | '\'' | '\\') {
        text.push(letter);
    } else {
        // Only after another letter is an accent that joins it none to be escaped.
        text.extend(format!("a{letter}").escape_debug().skip(1));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn filled() {
        let properties = json!({ "path": {}, "all": { "default": false }, "note": {} });
        let fill = |template, arguments| fill(template, &arguments, &properties);
        for (template, arguments, question) in [
            ("Delete {path}?", json!({ "path": "a b.txt" }), "Delete a b.txt?"),
            ("Delete {path:accent} ({all})?", json!({ "path": "a", "all": true }), "Delete a (true)?"),
            ("Delete {path} ({all}, {note})?", json!({ "path": "a" }), "Delete a (false, (none))?"),
            ("{{{path}}} {{path}} {other}?", json!({ "path": "a" }), "{a} {path} {other}?"),
            ("{path}{path", json!({ "path": "}{" }), "}{{path"),
            ("} {path}", json!({ "path": ["a", { "b": 1.5 }] }), "} [\"a\",{\"b\":1.5}]"),
            ("{path} {note}", json!({ "path": "", "note": " " }), "\"\" \" \""),
        ] {
            assert_eq!(fill(template, arguments), question, "{template}");
        }
    }

    #[test]
    fn what_cannot_be_seen_is_escaped() {
        let fill = |value: &str| fill("{a}", &json!({ "a": value }), &Value::Null);
        assert_eq!(fill("x\ny\r\t\u{1b}[2K"), "x\\ny\\r\\t\\u{1b}[2K");
        assert_eq!(
            fill("a\u{202e}txt\u{200b}\u{2066}\u{85}\u{2028}"),
            "a\\u{202e}txt\\u{200b}\\u{2066}\\u{85}\\u{2028}"
        );
        let readable = "don't \"C:\\new\" e\u{301}té 日本 नमस्ते 🎉";
        assert_eq!(fill(readable), readable);
    }

    #[test]
    fn what_is_long_is_counted() {
        let fill = |value: &str| fill("Run {a}?", &json!({ "a": value }), &Value::Null);
        assert_eq!(fill(&"é".repeat(500)), format!("Run {}?", "é".repeat(500)));
        assert_eq!(fill(&"é".repeat(513)), format!("Run {}… (and 13 more characters)?", "é".repeat(500)));
    }
}
