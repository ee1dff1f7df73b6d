//! What a call gives back: text for the model, data for the host.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use smallvec::{SmallVec, smallvec};

use crate::error::ToolError;

/// One block of what the model reads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
#[non_exhaustive]
pub enum Content {
    /// Text.
    Text {
        /// The text.
        text: String,
    },
}

/// The result of a call: content for the model, `details` for the host, and whether it failed.
///
/// A tool that only has something to say returns a `String`; this type is for more.
///
/// # Example
///
/// ```
/// use pi_tools::ToolOutput;
/// use serde_json::json;
///
/// let output = ToolOutput::text("3 files").with_details(json!({ "files": 3 }));
/// assert_eq!(output.to_text(), "3 files");
/// assert!(!output.is_error());
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolOutput<D = Value> {
    // Most outputs are one text.
    content: SmallVec<[Content; 1]>,
    #[serde(default = "none", skip_serializing_if = "Option::is_none")]
    details: Option<D>,
    #[serde(default, skip_serializing_if = "is_false")]
    is_error: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    terminate: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    usage: Option<Box<Value>>,
}

/// serde's own default would ask for `D: Default`.
fn none<D>() -> Option<D> {
    None
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature is serde's")]
fn is_false(flag: &bool) -> bool {
    !*flag
}

impl<D> ToolOutput<D> {
    /// A success that says `text`.
    pub fn text(text: impl Into<String>) -> Self {
        let content = smallvec![Content::Text { text: text.into() }];
        Self { content, details: None, is_error: false, terminate: false, usage: None }
    }

    /// A failure that says `text`. Unlike an `Err`, it can carry details; session state is rolled back all the same.
    pub fn error(text: impl Into<String>) -> Self {
        Self { is_error: true, ..Self::text(text) }
    }

    /// Adds data for the host and for later restores, which the model does not see.
    #[must_use]
    pub fn with_details(mut self, details: D) -> Self {
        self.details = Some(details);
        self
    }

    /// Replaces what the model reads.
    #[must_use]
    pub fn with_content(mut self, content: impl Into<Vec<Content>>) -> Self {
        self.content = content.into().into();
        self
    }

    /// Says whether the call failed: for a [`Hook`](crate::Hook), which may judge otherwise than the tool.
    #[must_use]
    pub fn with_is_error(mut self, is_error: bool) -> Self {
        self.is_error = is_error;
        self
    }

    /// Says whether the agent may stop here. It does so only if all results of a message say it: see
    /// [`BatchOutput::terminate`](crate::BatchOutput::terminate).
    ///
    /// ```
    /// let output = pi_tools::ToolOutput::<()>::text("Good bye.").with_terminate(true);
    /// assert!(output.terminate());
    /// ```
    #[must_use]
    pub fn with_terminate(mut self, terminate: bool) -> Self {
        self.terminate = terminate;
        self
    }

    /// Adds the tokens and the money that models took which the tool asked by itself, in the host's form. What calls
    /// through the host took the host counts, so it is no part of this.
    #[must_use]
    pub fn with_usage(mut self, usage: Value) -> Self {
        self.usage = Some(Box::new(usage));
        self
    }

    /// The blocks that the model reads.
    #[must_use]
    pub fn content(&self) -> &[Content] {
        &self.content
    }

    /// All text, block by block, joined by line ends.
    #[must_use]
    pub fn to_text(&self) -> String {
        self.texts().collect::<Vec<_>>().join("\n")
    }

    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        self.content.iter().map(|Content::Text { text }| text.as_str())
    }

    /// The data for the host.
    #[must_use]
    pub fn details(&self) -> Option<&D> {
        self.details.as_ref()
    }

    /// Whether the call failed.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.is_error
    }

    /// Whether the agent may stop here.
    #[must_use]
    pub fn terminate(&self) -> bool {
        self.terminate
    }

    /// What models took which the tool asked by itself.
    #[must_use]
    pub fn usage(&self) -> Option<&Value> {
        self.usage.as_deref()
    }
}

impl ToolOutput {
    /// Takes [all text](Self::to_text) out of its blocks.
    pub(crate) fn take_text(&mut self) -> String {
        let mut texts = Vec::new();
        self.retain_texts(|text| {
            texts.push(std::mem::take(text));
            true
        });
        if texts.len() == 1 { texts.remove(0) } else { texts.join("\n") }
    }

    /// Changes each text, or removes its block; other content stays as it is.
    pub(crate) fn retain_texts(&mut self, mut keep: impl FnMut(&mut String) -> bool) {
        self.content.retain_mut(|Content::Text { text }| keep(text));
    }

    /// An error that is no output of the tool, as Pi stores it.
    pub(crate) fn thrown(error: ToolError) -> Self {
        let output = Self::from(error);
        if output.details.is_some() { output } else { output.with_details(Map::new().into()) }
    }

    /// Puts `states` in front of the tool's own details; details that are no object move to the key `details`.
    pub(crate) fn with_states(mut self, states: Map<String, Value>) -> Self {
        let mut details = states;
        match self.details {
            Some(Value::Object(own)) => {
                for (key, value) in own {
                    details.entry(key).or_insert(value);
                }
            }
            Some(own) => {
                details.entry("details").or_insert(own);
            }
            None => {}
        }
        self.details = Some(Value::Object(details));
        self
    }
}

impl From<ToolError> for ToolOutput {
    fn from(error: ToolError) -> Self {
        let (message, details) = error.into_parts();
        Self { details, ..Self::error(message) }
    }
}

/// A result that the host gets as data and the model as JSON text.
///
/// # Example
///
/// ```
/// use pi_tools::{IntoToolOutput, Json};
///
/// let output = Json(vec![1, 2]).into_tool_output().unwrap();
/// assert_eq!(output.to_text(), "[1,2]");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Json<T>(pub T);

/// What a tool may return.
///
/// Implemented for `String`, `&str`, `()`, [`Json`], [`ToolOutput`], and for a `Result` of one of them whose error
/// is a [`ToolError`] or converts into `Box<dyn Error + Send + Sync>`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not something a tool can return",
    label = "not a tool's result",
    note = "return `String`, `&'static str`, `()`, `Json<T>` or `ToolOutput<D>`, or a `Result` of one of them",
    note = "the error of a `Result` is `ToolError`, or any type that converts into `Box<dyn Error + Send + Sync>`"
)]
pub trait IntoToolOutput {
    /// Turns the value into a result of a call.
    ///
    /// # Errors
    ///
    /// The error that the value stands for, or details that do not serialise.
    fn into_tool_output(self) -> Result<ToolOutput, ToolError>;
}

impl IntoToolOutput for String {
    fn into_tool_output(self) -> Result<ToolOutput, ToolError> {
        Ok(ToolOutput::text(self))
    }
}

impl IntoToolOutput for &str {
    fn into_tool_output(self) -> Result<ToolOutput, ToolError> {
        Ok(ToolOutput::text(self))
    }
}

impl IntoToolOutput for () {
    fn into_tool_output(self) -> Result<ToolOutput, ToolError> {
        Ok(ToolOutput::text("done"))
    }
}

impl<T: Serialize> IntoToolOutput for Json<T> {
    fn into_tool_output(self) -> Result<ToolOutput, ToolError> {
        Ok(ToolOutput::text(serde_json::to_string(&self.0)?).with_details(serde_json::to_value(&self.0)?))
    }
}

impl<D: Serialize> IntoToolOutput for ToolOutput<D> {
    fn into_tool_output(self) -> Result<ToolOutput, ToolError> {
        let Self { content, details, is_error, terminate, usage } = self;
        let details = details.map(serde_json::to_value).transpose()?;
        Ok(ToolOutput { content, details, is_error, terminate, usage })
    }
}

#[diagnostic::do_not_recommend]
impl<T: IntoToolOutput, E: Into<ToolError>> IntoToolOutput for Result<T, E> {
    fn into_tool_output(self) -> Result<ToolOutput, ToolError> {
        self.map_err(Into::into).and_then(T::into_tool_output)
    }
}
