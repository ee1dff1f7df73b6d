//! The arguments of a call.

use std::borrow::Cow;

use serde_json::Value;
use serde_json::value::RawValue;

use crate::error::ToolError;
use crate::pipeline;

/// The arguments of a call: JSON text, or a JSON value.
#[derive(Clone, Debug)]
pub struct Arguments<'a> {
    text: Cow<'a, str>,
    /// Whether the tool and old names have had their part already.
    pub(crate) is_prepared: bool,
}

impl Arguments<'_> {
    /// The text, which may be no JSON.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The text as JSON, for the tool of this name.
    pub(crate) fn raw(&self, name: &str) -> Result<&RawValue, ToolError> {
        pipeline::raw(name, &self.text)
    }
}

impl<'a> From<&'a str> for Arguments<'a> {
    fn from(text: &'a str) -> Self {
        Self { text: Cow::Borrowed(text), is_prepared: false }
    }
}

impl From<String> for Arguments<'_> {
    fn from(text: String) -> Self {
        Self { text: Cow::Owned(text), is_prepared: false }
    }
}

impl<'a> From<&'a RawValue> for Arguments<'a> {
    fn from(text: &'a RawValue) -> Self {
        text.get().into()
    }
}

impl From<Value> for Arguments<'_> {
    fn from(value: Value) -> Self {
        value.to_string().into()
    }
}
