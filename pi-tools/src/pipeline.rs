//! Raw arguments → prepare → validate → decode.
//!
//! A good call costs one parse: its text is decoded straight into the argument type. Only what does not decode goes
//! the long way, which finds every problem at once. Each stage is pure and synchronous.

mod prepare;
mod validate;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, value::RawValue};

use crate::error::ToolError;
use crate::schema::Parameters;
use crate::spec::ToolSpec;

pub(crate) use validate::Problem;

/// Decodes the arguments of a call, or says all that is wrong with them.
pub(crate) fn decode<'a, A: DeserializeOwned>(
    spec: &ToolSpec,
    arguments: &RawValue,
    parameters: impl FnOnce() -> &'a Parameters,
) -> Result<A, ToolError> {
    if let Ok(arguments) = serde_json::from_str(arguments.get()) {
        return Ok(arguments);
    }
    let value = check(spec, arguments, parameters())?;
    serde_path_to_error::deserialize(&value).map_err(|error| {
        let path = error.path().to_string();
        let path = if path == "." { "root".to_owned() } else { path };
        invalid(spec, &[Problem::new(path, error.inner())], &value)
    })
}

/// The long way up to decoding.
fn check(spec: &ToolSpec, arguments: &RawValue, parameters: &Parameters) -> Result<Value, ToolError> {
    let mut value: Value = serde_json::from_str(arguments.get())?;
    prepare::prepare(&mut value, spec.renames, parameters.aliases());
    let problems = validate::validate(&value, parameters.schema());
    if problems.is_empty() { Ok(value) } else { Err(invalid(spec, &problems, &value)) }
}

/// Pi's layout of an error about arguments.
fn invalid(spec: &ToolSpec, problems: &[Problem], received: &impl Serialize) -> ToolError {
    use std::fmt::Write as _;

    let mut text = format!("Validation failed for tool \"{}\":\n", spec.name);
    for problem in problems {
        let _ = writeln!(text, "  - {problem}");
    }
    let received = serde_json::to_string_pretty(received).unwrap_or_default();
    let _ = write!(text, "\nReceived arguments:\n{received}");
    ToolError::new(text)
}
