//! What the real Pi makes of arguments before it calls a tool.

use pi_tools::{builtin, validate_arguments};
use serde_json::Value;

use crate::equal;

/// Conversion and check against any schema.
pub(crate) fn validate(case: &Value) -> Result<(), String> {
    // What only JavaScript reads.
    if case["js_only"] == true || case["lone_surrogates"] == true {
        return Err(crate::SKIPPED.to_owned());
    }
    let read = |text: &Value, value: &Value| match text.as_str() {
        Some(text) => serde_json::from_str(text).map_err(|error| error.to_string()),
        None => Ok(value.clone()),
    };
    let schema = read(&case["schema_json"], &case["schema"])?;
    let arguments = read(&case["args_json"], &case["args"])?;
    match validate_arguments("t", &schema, &arguments) {
        Ok(value) if case["ok"] == true && same(&value, &case["value"]) => Ok(()),
        Ok(value) => equal(&value.to_string(), &case.get("value").unwrap_or(&case["error"]).to_string()),
        Err(error) => {
            let expected = case["error"].as_str().unwrap_or("no error");
            // After the pattern, the words are those of the engine.
            match expected.strip_prefix("Invalid regular expression: ").and_then(|rest| rest.split_once("/: ")) {
                Some((pattern, _)) => {
                    let start = format!("Invalid regular expression: {pattern}/: ");
                    equal(&error.message()[..start.len().min(error.message().len())], &start)
                }
                None => equal(error.message(), expected),
            }
        }
    }
}

/// Numbers by their value: `1` and `1.0` are one to JavaScript.
fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one.as_f64() == other.as_f64(),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        // The order of keys is kept, too.
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .zip(other)
                    .all(|((name, one), (other_name, other))| name == other_name && same(one, other))
        }
        (one, other) => one == other,
    }
}

/// What `edit` accepts in place of its arguments.
pub(crate) fn edit(case: &Value) -> Result<(), String> {
    let prepared = builtin::prepare_edit(case["input"].clone());
    equal(&prepared.to_string(), &case["result"].to_string())
}
