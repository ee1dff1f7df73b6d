//! Raw arguments → prepare → coerce → validate → decode.
//!
//! A good call costs one parse: its text is decoded straight into the argument types. Only what does not decode goes
//! the long way, which finds every problem at once. Each stage is pure and synchronous.

mod coerce;
pub(crate) mod decode;
mod format;
mod javascript;
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
/// wrong. A host that checks arguments itself has [prepared](prepare) them before.
pub(crate) fn check(
    spec: &ToolSpec,
    arguments: &RawValue,
    parameters: &Parameters,
    is_prepared: bool,
) -> Result<Box<RawValue>, ToolError> {
    let prepared = || {
        if is_prepared { Ok(serde_json::from_str(arguments.get())?) } else { prepare(spec, arguments, parameters) }
    };
    let check = parameters.check();
    let mut value = prepared()?;
    if let Some(variants) = parameters.variants() {
        prepare::drop_other_variants(&mut value, variants);
    }
    prepare::tidy(&mut value, check);
    value = coerce::coerce(value, check);
    let mut problems = validate::validate(&value, check);
    if let Some(variants) = parameters.variants() {
        problems.extend(validate::missing_of_variant(&value, variants));
    }
    if !problems.is_empty() {
        // What is shown is what came, not what became of it.
        return Err(invalid(spec.name, &problems, &prepared()?));
    }
    Ok(serde_json::value::to_raw_value(&value)?)
}

/// The first stage alone: what the tool makes of the arguments, then old names.
pub(crate) fn prepare(spec: &ToolSpec, arguments: &RawValue, parameters: &Parameters) -> Result<Value, ToolError> {
    let mut value =
        serde_json::from_str(arguments.get()).map_err(|error| unreadable(spec.name, arguments.get(), &error))?;
    if let Some(prepare) = spec.prepare {
        value = prepare(value)?;
    }
    prepare::prepare(&mut value, spec.renames, parameters.aliases());
    Ok(value)
}

/// Converts arguments to what a schema means, and checks them, as Pi does it before it calls a tool.
///
/// For schemas of any origin; what is published for a tool, and enforced for its calls, is narrower: see
/// [`schema`](crate::schema). The keywords of JSON Schema 2020-12 are known, except `unevaluatedItems`,
/// `unevaluatedProperties`, dynamic references and other documents.
///
/// ```
/// use pi_tools::validate_arguments;
/// use serde_json::json;
///
/// let schema = json!({"type": "object", "properties": {"limit": {"type": "integer", "minimum": 1}}});
/// assert_eq!(validate_arguments("search", &schema, &json!({"limit": "7"})).unwrap(), json!({"limit": 7}));
/// let error = validate_arguments("search", &schema, &json!({"limit": "0"})).unwrap_err();
/// assert!(error.message().starts_with("Validation failed for tool \"search\":\n  - limit: expected >= 1\n"));
/// ```
///
/// # Errors
///
/// All problems, by path, in Pi's words; or what is wrong with the schema.
pub fn validate_arguments(tool: &str, schema: &Value, arguments: &Value) -> Result<Value, ToolError> {
    let check = Check::of(schema.clone());
    if let Some(fault) = check.faults().first() {
        return Err(ToolError::new(fault.clone()));
    }
    let value = coerce::coerce(arguments.clone(), &check);
    let problems = validate::validate(&value, &check);
    if problems.is_empty() { Ok(value) } else { Err(invalid(tool, &problems, arguments)) }
}

/// What the check finds first, after conversion.
pub(crate) fn first_problem(mut arguments: Value, check: &Check) -> Option<String> {
    prepare::tidy(&mut arguments, check);
    let arguments = coerce::coerce(arguments, check);
    validate::validate(&arguments, check).first().map(ToString::to_string)
}

/// What is wrong with parameters that have a portable form: a default that they refuse, a pattern that is none, a keyword
/// that nobody would enforce.
pub(crate) fn faults(parameters: &Parameters) -> Vec<String> {
    let check = parameters.check();
    let properties = parameters.schema()["properties"].as_object().into_iter().flatten();
    let refused = properties.filter_map(|(name, property)| {
        let property = property.get("default")?;
        let problems = validate::validate_at(&[name], property, &check.schema["properties"][name], check);
        Some(problems.into_iter().map(|problem| format!("the default of {problem}")))
    });
    let of_schema = check.faults().iter().chain(parameters.unenforced()).cloned();
    of_schema.chain(refused.flatten()).collect()
}

/// A text as JSON.
pub(crate) fn raw<'a>(name: &str, text: &'a str) -> Result<&'a RawValue, ToolError> {
    serde_json::from_str(text).map_err(|error| unreadable(name, text, &error))
}

/// What is no JSON, in Pi's words.
fn unreadable(name: &str, received: &str, error: &serde_json::Error) -> ToolError {
    ToolError::new(format!("Invalid arguments for tool \"{name}\": {error}\n\nReceived arguments:\n{received}"))
}

/// What the schema accepts and a type refuses all the same.
pub(crate) fn undecodable(spec: &ToolSpec, arguments: &str, error: &serde_json::Error) -> ToolError {
    let path = path_of(arguments, error);
    let message = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    let message = message.strip_suffix(&place).unwrap_or(&message);
    let path = if path.is_empty() { "root".to_owned() } else { path };
    invalid(spec.name, &[Problem::new(path, message)], &serde_json::from_str(arguments).unwrap_or_default())
}

/// Where a text does not decode.
pub(crate) fn path_of(arguments: &str, error: &serde_json::Error) -> String {
    // The text is one line, and columns count from 1: the last byte that was read.
    locate::locate(arguments, error.column().saturating_sub(1))
}

/// Pi's layout of an error about arguments.
fn invalid(tool: &str, problems: &[Problem], received: &Value) -> ToolError {
    let mut text = format!("Validation failed for tool \"{tool}\":\n");
    for problem in problems {
        let _ = writeln!(text, "  - {problem}");
    }
    let _ = write!(text, "\nReceived arguments:\n{}", javascript::pretty(received));
    ToolError::new(text)
}
