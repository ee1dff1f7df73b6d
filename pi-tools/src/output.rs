//! What a call gives back: text and images for the model, data for the host.

mod audio;
mod encoded;
mod image;
mod into;
mod resource;

use std::borrow::Cow;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use smallvec::{SmallVec, smallvec};

use crate::error::ToolError;

pub use audio::Audio;
pub use image::Image;
pub use into::{IntoToolOutput, Json, OutputSchema};
pub use resource::Resource;

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
    /// An image.
    Image(Image),
    /// Sound.
    Audio(Audio),
    /// Something that has an address, with its content.
    Resource(Resource),
}

impl Content {
    /// What stands for it where there are only texts and images, as in Pi; `None` for these.
    pub(crate) fn in_words(&self) -> Option<String> {
        match self {
            Self::Text { .. } | Self::Image(_) => None,
            Self::Audio(audio) => Some(audio.in_words()),
            Self::Resource(resource) => Some(resource.in_words()),
        }
    }
}

/// Content as Pi has it: texts and images.
pub(crate) fn plain(content: &[Content]) -> Cow<'_, [Content]> {
    if content.iter().all(|block| matches!(block, Content::Text { .. } | Content::Image(_))) {
        return Cow::Borrowed(content);
    }
    let plain = |block: &Content| block.in_words().map_or_else(|| block.clone(), |text| Content::Text { text });
    content.iter().map(plain).collect()
}

/// The result of a call: content for the model, data for others, and whether it failed.
///
/// A tool that only has something to say returns a `String`, and one that has only data a [`Json`]; this type is for more:
///
/// | what | for whom | where it stays |
/// | --- | --- | --- |
/// | [`text`](Self::text), [`with_image`](Self::with_image) | the model | in the session; texts that are too long are cut |
/// | [`with_audio`](Self::with_audio), [`with_resource`](Self::with_resource) | the model, over MCP | in the session as a text |
/// | [`with_details`](Self::with_details) | hosts, renderers, later restores | in the session |
/// | [`with_structured_content`](Self::with_structured_content) | scripts and tools that call the tool | nowhere |
/// | [`error`](Self::error) | the model and the host | in the session, with the details |
/// | [`with_terminate`](Self::with_terminate) | the agent's loop | nowhere |
/// | [`with_usage`](Self::with_usage) | whoever counts tokens | in the session |
///
/// A failure is an `Err` with a [`ToolError`], or, where there is more to tell than a sentence, an
/// [`error`](Self::error) output. Both roll session state back, and both may carry details; only the output may carry
/// images, structured content and usage, too.
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
///
/// // A command that failed, with all that is known of it.
/// let output = ToolOutput::error("2 of 3 tests fail")
///     .with_details(json!({ "failed": ["a", "b"] }))
///     .with_usage(json!({ "input": 12, "output": 3 }));
/// assert!(output.is_error() && output.details().is_some() && output.usage().is_some());
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolOutput<D = Value> {
    // Most outputs are one text. What else there may be is boxed: every call hands its output on several times.
    content: SmallVec<[Content; 1]>,
    #[serde(default = "none", skip_serializing_if = "Option::is_none")]
    details: Option<Box<D>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    structured_content: Option<Box<Value>>,
    #[serde(default, skip_serializing_if = "is_false")]
    is_error: Flag,
    #[serde(default, skip_serializing_if = "is_false")]
    terminate: Flag,
    /// Whether whoever made it has cut it as it should be.
    #[serde(skip)]
    is_cut: Flag,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    usage: Option<Box<Value>>,
}

/// serde's own default would ask for `D: Default`.
fn none<D>() -> Option<D> {
    None
}

/// A `bool` of which every value of the bytes counts. In a `bool` the compiler would put what encloses an output has
/// to say as well, and then copy each output in pieces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "bool", into = "bool")]
struct Flag(u16);

impl From<bool> for Flag {
    fn from(flag: bool) -> Self {
        Self(flag.into())
    }
}

impl From<Flag> for bool {
    fn from(Flag(flag): Flag) -> Self {
        flag != 0
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature is serde's")]
fn is_false(flag: &Flag) -> bool {
    !bool::from(*flag)
}

impl<D> ToolOutput<D> {
    /// A success that says `text`.
    pub fn text(text: impl Into<String>) -> Self {
        let content = smallvec![Content::Text { text: text.into() }];
        Self {
            content,
            details: None,
            structured_content: None,
            is_error: false.into(),
            terminate: false.into(),
            is_cut: false.into(),
            usage: None,
        }
    }

    /// A failure that says `text`. Unlike an `Err`, it can carry details; session state is rolled back all the same.
    pub fn error(text: impl Into<String>) -> Self {
        Self { is_error: true.into(), ..Self::text(text) }
    }

    /// Adds an image behind what the model reads. It is never cut.
    ///
    /// ```
    /// use pi_tools::{Image, ToolOutput};
    ///
    /// let gif = Image::from_bytes(b"GIF89a\x01\0\x01\0\0\0\0;")?;
    /// let output = ToolOutput::<()>::text("The chart:").with_image(gif);
    /// assert_eq!(output.content().len(), 2);
    /// # Ok::<(), pi_tools::ToolError>(())
    /// ```
    #[must_use]
    pub fn with_image(mut self, image: Image) -> Self {
        self.content.push(Content::Image(image));
        self
    }

    /// Adds sound behind what the model reads. It is never cut. Where there is no sound, as in Pi, a text says what it is.
    ///
    /// ```
    /// use pi_tools::{Audio, ToolOutput};
    ///
    /// let flac = Audio::from_bytes(b"fLaC\0\0\0\x22")?;
    /// let output = ToolOutput::<()>::text("The call:").with_audio(flac);
    /// assert_eq!(output.to_text(), "The call:");
    /// # Ok::<(), pi_tools::ToolError>(())
    /// ```
    #[must_use]
    pub fn with_audio(mut self, audio: Audio) -> Self {
        self.content.push(Content::Audio(audio));
        self
    }

    /// Adds something that has an address behind what the model reads. Where there are only texts, as in Pi, it becomes one.
    ///
    /// ```
    /// use pi_tools::{Resource, ToolOutput};
    ///
    /// let notes = Resource::from_text("file:///notes.md", "# Notes");
    /// let output = ToolOutput::<()>::text("1 file").with_resource(notes);
    /// assert_eq!(output.to_text(), "1 file\n# Notes");
    /// ```
    #[must_use]
    pub fn with_resource(mut self, resource: Resource) -> Self {
        self.content.push(Content::Resource(resource));
        self
    }

    /// Adds data for the host and for later restores, which the model does not see.
    #[must_use]
    pub fn with_details(mut self, details: D) -> Self {
        self.details = Some(Box::new(details));
        self
    }

    /// Replaces what the model reads. Structured content goes, as in Pi: what was taken out of the one may stand in the
    /// other. Set it again if it still holds.
    #[must_use]
    pub fn with_content(mut self, content: impl Into<Vec<Content>>) -> Self {
        self.content = content.into().into();
        self.structured_content = None;
        self.is_cut = false.into();
        self
    }

    /// Adds the result as data, for scripts and tools that call this one. The model does not see it, and sessions do not
    /// keep it. [`Json`] does the same, and publishes the schema of it.
    ///
    /// ```
    /// let output = pi_tools::ToolOutput::<()>::text("2 files").with_structured_content(serde_json::json!(["a", "b"]));
    /// assert_eq!(output.structured_content().unwrap()[1], "b");
    /// ```
    #[must_use]
    pub fn with_structured_content(mut self, structured_content: Value) -> Self {
        self.structured_content = Some(Box::new(structured_content));
        self
    }

    /// Says whether the call failed: for a [`Hook`](crate::Hook), which may judge otherwise than the tool.
    #[must_use]
    pub fn with_is_error(mut self, is_error: bool) -> Self {
        self.is_error = is_error.into();
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
        self.terminate = terminate.into();
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

    /// All text, block by block, joined by line ends, with that of resources; images and sound have none.
    #[must_use]
    pub fn to_text(&self) -> String {
        self.texts().collect::<Vec<_>>().join("\n")
    }

    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        self.content.iter().filter_map(|block| match block {
            Content::Text { text } => Some(text.as_str()),
            Content::Resource(resource) => resource.text(),
            Content::Image(_) | Content::Audio(_) => None,
        })
    }

    /// The data for the host.
    #[must_use]
    pub fn details(&self) -> Option<&D> {
        self.details.as_deref()
    }

    /// The result as data.
    #[must_use]
    pub fn structured_content(&self) -> Option<&Value> {
        self.structured_content.as_deref()
    }

    /// Whether the call failed.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.is_error.into()
    }

    /// Whether the agent may stop here.
    #[must_use]
    pub fn terminate(&self) -> bool {
        self.terminate.into()
    }

    /// What models took which the tool asked by itself.
    #[must_use]
    pub fn usage(&self) -> Option<&Value> {
        self.usage.as_deref()
    }
}

impl ToolOutput {
    /// The same with details of a known type: of what [another tool](crate::ToolContext::execute_builtin) gave back.
    ///
    /// ```
    /// use pi_tools::ToolOutput;
    /// use pi_tools::builtin::LsDetails;
    ///
    /// let output = ToolOutput::text("a").with_details(serde_json::json!({ "entryLimitReached": 1 }));
    /// assert_eq!(output.typed::<LsDetails>()?.details().unwrap().entry_limit_reached, Some(1));
    /// # Ok::<(), pi_tools::ToolError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// When the details of a success are no such type. Those of a failure are left out then: hosts write what they like
    /// there.
    pub fn typed<D: DeserializeOwned>(self) -> Result<ToolOutput<D>, ToolError> {
        let Self { content, details, structured_content, is_error, terminate, is_cut, usage } = self;
        let details = match details.map(|details| serde_json::from_value(*details)).transpose() {
            Ok(details) => details.map(Box::new),
            Err(_) if is_error.into() => None,
            Err(error) => return Err(ToolError::new(format!("the details are not those that were expected: {error}"))),
        };
        Ok(ToolOutput { content, details, structured_content, is_error, terminate, is_cut, usage })
    }

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
        self.content.retain_mut(|block| match block {
            Content::Text { text } => keep(text),
            Content::Resource(resource) => resource.text_mut().is_none_or(&mut keep),
            Content::Image(_) | Content::Audio(_) => true,
        });
    }

    /// The same with [`plain`] content.
    #[cfg(feature = "pi")]
    pub(crate) fn into_plain(mut self) -> Self {
        if let Cow::Owned(content) = plain(&self.content) {
            self.content = content.into();
        }
        self
    }

    /// That it is not to be cut, unless to less than what Pi allows: it is Pi's, and cut, with notices behind it.
    #[cfg(feature = "pi")]
    pub(crate) fn already_cut(mut self) -> Self {
        self.is_cut = true.into();
        self
    }

    pub(crate) fn is_already_cut(&self) -> bool {
        self.is_cut.into()
    }

    /// Adds members to the details, if these are an object or nothing.
    pub(crate) fn extend_details(&mut self, members: Map<String, Value>) {
        let details = self.details.get_or_insert_default();
        if details.is_null() {
            **details = Map::new().into();
        }
        if let Value::Object(details) = &mut **details {
            details.extend(members);
        }
    }

    /// An error that is no output of the tool, as Pi stores it.
    pub(crate) fn thrown(error: ToolError) -> Self {
        let output = Self::from(error);
        if output.details.is_some() { output } else { output.with_details(Map::new().into()) }
    }

    /// Puts `states` in front of the tool's own details; details that are no object move to the key `details`.
    pub(crate) fn add_states(&mut self, states: Map<String, Value>) {
        let mut details = states;
        match self.details.take().map(|own| *own) {
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
        self.details = Some(Box::new(Value::Object(details)));
    }
}

impl From<ToolError> for ToolOutput {
    fn from(error: ToolError) -> Self {
        let (message, details) = error.into_parts();
        Self { details, ..Self::error(message) }
    }
}
