//! The arguments of a call, as they are typed: JSON, or one value each.

use std::fs;
use std::io::{self, IsTerminal as _, Read as _};

use serde_json::{Map, Value, json, value::RawValue, value::to_raw_value};

use super::say;
use crate::error::ToolError;
use crate::tool::ToolRef;

/// A JSON text: itself, `@FILE`, or `-` for standard input.
pub(super) fn from_json(source: &str) -> Result<Box<RawValue>, ToolError> {
    let (from, text) = if source == "-" {
        let mut text = String::new();
        if io::stdin().is_terminal() {
            say(format_args!("reading the arguments, a JSON object, from the terminal; end with Ctrl-D"));
        }
        io::stdin().read_to_string(&mut text).map_err(|error| ToolError::new(format!("standard input: {error}")))?;
        ("standard input", text)
    } else if let Some(path) = source.strip_prefix('@') {
        (path, read(path)?)
    } else {
        ("the arguments", source.to_owned())
    };
    // Editors on Windows put it there.
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    serde_json::from_str(text).map_err(|error| ToolError::new(format!("{from}: not JSON: {error}")))
}

/// An object of `NAME=VALUE`s. Values are texts, which the check of the arguments converts to what the schema says. Dots
/// in a name lead into objects; a name that is given again makes a list.
pub(super) fn from_pairs(tool: ToolRef<'_>, pairs: &[String]) -> Result<Box<RawValue>, ToolError> {
    let mut arguments = Map::new();
    for pair in pairs {
        let Some((name, value)) = pair.split_once('=') else {
            return Err(ToolError::new(format!("`{pair}` is no argument: write NAME=VALUE, or NAME=@FILE")));
        };
        let value = match value.strip_prefix('@') {
            Some(text) if text.starts_with('@') => text.to_owned(),
            Some(path) => read(path)?,
            None => value.to_owned(),
        };
        let is_whole = tool.parameters().is_ok_and(|parameters| parameters.schema()["properties"].get(name).is_some());
        let path: Vec<&str> = if is_whole { vec![name] } else { name.split('.').collect() };
        if path.contains(&"") {
            return Err(ToolError::new(format!("`{pair}`: a name is empty")));
        }
        insert(&mut arguments, &path, value.into())
            .ok_or_else(|| ToolError::new(format!("`{pair}`: `{name}` is both a value and an object")))?;
    }
    Ok(to_raw_value(&arguments)?)
}

fn read(path: &str) -> Result<String, ToolError> {
    if path.is_empty() {
        return Err(ToolError::new("a file's name is missing: write `@FILE`"));
    }
    fs::read_to_string(path).map_err(|error| ToolError::new(format!("{path}: {error}")))
}

/// `None` where a value would be an object, too.
fn insert(object: &mut Map<String, Value>, path: &[&str], value: Value) -> Option<()> {
    let (name, rest) = path.split_first()?;
    if !rest.is_empty() {
        let inner = object.entry(*name).or_insert_with(|| json!({}));
        return insert(inner.as_object_mut()?, rest, value);
    }
    match object.get_mut(*name) {
        None => {
            object.insert((*name).to_owned(), value);
        }
        Some(Value::Object(_)) => return None,
        Some(Value::Array(values)) => values.push(value),
        Some(first) => *first = json!([first.take(), value]),
    }
    Some(())
}
