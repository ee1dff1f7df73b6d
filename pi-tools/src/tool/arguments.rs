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
    pub(crate) stage: Stage,
}

/// How far arguments have come. It has a whole word, so that they are not copied in pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub(crate) enum Stage {
    Raw,
    /// The tool and old names have had their part.
    Prepared,
}

impl<'a> Arguments<'a> {
    /// The text, if it is somebody else's.
    pub(crate) fn borrowed(&self) -> Option<&'a str> {
        match self.text {
            Cow::Borrowed(text) => Some(text),
            Cow::Owned(_) => None,
        }
    }

    pub(crate) fn lent(&self) -> Arguments<'_> {
        Arguments { text: Cow::Borrowed(&self.text), stage: self.stage }
    }

    /// The text, which may be no JSON.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The same, of which the tool and old names have had their part already.
    #[cfg(feature = "pi")]
    pub(crate) fn prepared(self) -> Self {
        Self { stage: Stage::Prepared, ..self }
    }

    /// The text as JSON, for the tool of this name.
    pub(crate) fn raw(&self, name: &str) -> Result<&RawValue, ToolError> {
        pipeline::raw(name, &self.text)
    }
}

impl<'a> From<&'a str> for Arguments<'a> {
    fn from(text: &'a str) -> Self {
        Self { text: Cow::Borrowed(text), stage: Stage::Raw }
    }
}

impl From<String> for Arguments<'_> {
    fn from(text: String) -> Self {
        Self { text: Cow::Owned(text), stage: Stage::Raw }
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
