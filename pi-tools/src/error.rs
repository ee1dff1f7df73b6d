//! How a call fails, and how a toolbox fails to be built.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;

use serde::Serialize;
use serde_json::Value;

/// Why a call failed, in words for the model.
///
/// Every error of the standard kind converts into it with `?`, with its chain of causes joined by `: `; so do
/// `anyhow::Error`, `eyre::Report`, `String` and `&str`. Like those two error types, it does not implement
/// [`Error`] itself.
///
/// # Example
///
/// ```
/// use pi_tools::ToolError;
///
/// fn parse(text: &str) -> Result<u32, ToolError> {
///     if text.is_empty() {
///         return Err(ToolError::new("text: must not be empty"));
///     }
///     Ok(text.parse::<u32>()?)
/// }
/// assert_eq!(parse("").unwrap_err().message(), "text: must not be empty");
/// assert_eq!(parse("x").unwrap_err().message(), "invalid digit found in string");
/// ```
pub struct ToolError {
    message: Cow<'static, str>,
    details: Option<Box<Value>>,
}

impl ToolError {
    /// An error with this message.
    pub fn new(message: impl Into<Cow<'static, str>>) -> Self {
        Self { message: message.into(), details: None }
    }

    /// Adds data for the host, which the model does not see. Data that does not serialise is left out.
    #[must_use]
    pub fn with_details(mut self, details: impl Serialize) -> Self {
        self.details = serde_json::to_value(details).ok().map(Box::new);
        self
    }

    /// What the model reads.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The data for the host.
    #[must_use]
    pub fn details(&self) -> Option<&Value> {
        self.details.as_deref()
    }

    /// An error that is not the tool's own words says which tool it is about.
    pub(crate) fn of_tool(self, name: &str) -> Self {
        Self { message: format!("Tool \"{name}\" failed: {}", self.message).into(), ..self }
    }

    pub(crate) fn into_parts(self) -> (Cow<'static, str>, Option<Box<Value>>) {
        (self.message, self.details)
    }
}

impl fmt::Debug for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolError").field("message", &self.message).field("details", &self.details).finish()
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl<E: Into<Box<dyn Error + Send + Sync>>> From<E> for ToolError {
    fn from(error: E) -> Self {
        fn inner(error: &(dyn Error + 'static)) -> ToolError {
            let mut message = error.to_string();
            let mut cause = error.source();
            while let Some(error) = cause {
                let text = error.to_string();
                // Many errors already print their cause.
                if !message.contains(&text) {
                    message.push_str(": ");
                    message.push_str(&text);
                }
                cause = error.source();
            }
            ToolError::new(message)
        }
        inner(&*error.into())
    }
}

/// Why a toolbox could not be built: every reason, one a line.
#[derive(Debug)]
pub struct ToolboxError {
    problems: Vec<String>,
}

impl ToolboxError {
    pub(crate) fn check(problems: Vec<String>) -> Result<(), Self> {
        if problems.is_empty() { Ok(()) } else { Err(Self { problems }) }
    }

    /// The reasons, one each.
    #[must_use]
    pub fn problems(&self) -> &[String] {
        &self.problems
    }
}

impl fmt::Display for ToolboxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.problems.join("\n"))
    }
}

impl Error for ToolboxError {}
