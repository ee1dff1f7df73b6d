//! Raw arguments → prepare → validate → decode.
//!
//! A good call costs one parse: its text is decoded straight into the argument types. Only what does not decode goes
//! the long way, which finds every problem at once. Each stage is pure and synchronous.

pub(crate) mod decode;
mod format;
mod locate;
mod prepare;
mod validate;

use std::fmt::Write as _;

use serde_json::{Value, value::RawValue};

use crate::error::ToolError;
use crate::schema::{Check, Parameters};
use crate::spec::ToolSpec;

use validate::Problem;

/// The long way, for arguments that do not decode or that must be checked: the text to decode instead, or all that is
/// wrong.
pub(crate) fn check(
    spec: &ToolSpec,
    arguments: &RawValue,
    parameters: &Parameters,
) -> Result<Box<RawValue>, ToolError> {
    let mut value: Value =
        serde_json::from_str(arguments.get()).map_err(|error| unreadable(spec.name, arguments.get(), &error))?;
    if let Some(prepare) = spec.prepare {
        value = prepare(value)?;
    }
    prepare::prepare(&mut value, spec.renames, parameters.aliases());
    let check = parameters.check();
    prepare::write_integers(&mut value, &check.schema);
    let mut problems = validate::validate(&value, check);
    if let Some(variants) = parameters.variants() {
        problems.extend(validate::missing_of_variant(&value, variants));
    }
    if !problems.is_empty() {
        return Err(invalid(spec, &problems, &value));
    }
    prepare::drop_optional_nulls(&mut value, &check.schema);
    if let Some(variants) = parameters.variants() {
        prepare::drop_other_variants(&mut value, variants);
    }
    Ok(serde_json::value::to_raw_value(&value)?)
}

/// What the check finds first, before any preparation.
pub(crate) fn first_problem(arguments: &Value, check: &Check) -> Option<String> {
    validate::validate(arguments, check).first().map(ToString::to_string)
}

/// What is wrong with parameters that have a portable form: a default that they refuse, a pattern that is none.
pub(crate) fn faults(parameters: &Parameters) -> Vec<String> {
    let check = parameters.check();
    let properties = parameters.schema()["properties"].as_object().into_iter().flatten();
    let refused = properties.filter_map(|(name, property)| {
        let property = property.get("default")?;
        let problems = validate::validate_at(vec![name.clone()], property, &check.schema["properties"][name], check);
        Some(problems.into_iter().map(|problem| format!("the default of {problem}")))
    });
    check.invalid_patterns().map(str::to_owned).chain(refused.flatten()).collect()
}

/// What is no JSON, in Pi's words.
pub(crate) fn unreadable(name: &str, received: &str, error: &serde_json::Error) -> ToolError {
    ToolError::new(format!("Invalid arguments for tool \"{name}\": {error}\n\nReceived arguments:\n{received}"))
}

/// What the schema accepts and a type refuses all the same.
pub(crate) fn undecodable(spec: &ToolSpec, arguments: &RawValue, error: &serde_json::Error) -> ToolError {
    // The text is one line, and columns count from 1: the last byte that was read.
    let path = locate::locate(arguments.get(), error.column().saturating_sub(1));
    let message = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    let message = message.strip_suffix(&place).unwrap_or(&message);
    let path = if path.is_empty() { "root".to_owned() } else { path };
    invalid(spec, &[Problem::new(path, message)], &serde_json::from_str(arguments.get()).unwrap_or_default())
}

/// Pi's layout of an error about arguments.
fn invalid(spec: &ToolSpec, problems: &[Problem], received: &Value) -> ToolError {
    let mut text = format!("Validation failed for tool \"{}\":\n", spec.name);
    for problem in problems {
        let _ = writeln!(text, "  - {problem}");
    }
    let _ = write!(text, "\nReceived arguments:\n{received:#}");
    ToolError::new(text)
}
