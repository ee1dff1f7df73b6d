//! What a test expects of an output.

use std::fmt;

use serde::Serialize;
use serde_json::{Value, json};

use crate::output::{Content, IntoToolOutput, ToolOutput};

/// Looks at what a tool gave back: whatever a tool may return, or the output of a call by name.
///
/// Every expectation that fails panics with what was expected and with all of the output.
///
/// ```
/// use pi_tools::testing::expect;
/// use pi_tools::{Json, ToolError, ToolOutput};
///
/// expect(Json([1, 2])).is_success().has_text("[1,2]").has_structured_content([1, 2]);
/// expect(Err::<String, _>(ToolError::new("no such file"))).is_error().contains("no such");
/// expect(ToolOutput::error("2 tests fail").with_details(2)).is_error().has_details(2);
/// ```
#[must_use]
pub fn expect(returned: impl IntoToolOutput) -> Expected {
    Expected { output: returned.into_tool_output().unwrap_or_else(ToolOutput::from) }
}

/// An output that a test looks at: see [`expect`].
#[derive(Clone, Debug)]
pub struct Expected {
    output: ToolOutput,
}

#[expect(clippy::must_use_candidate, reason = "what is expected may be the last thing")]
impl Expected {
    /// The call did not fail.
    ///
    /// # Panics
    ///
    /// When it did.
    #[track_caller]
    pub fn is_success(&self) -> &Self {
        self.holds(!self.output.is_error(), "a success")
    }

    /// The call failed, by an `Err` or by an [`error`](ToolOutput::error) output.
    ///
    /// # Panics
    ///
    /// When it did not.
    #[track_caller]
    pub fn is_error(&self) -> &Self {
        self.holds(self.output.is_error(), "an error")
    }

    /// The model reads this text, and no other.
    ///
    /// # Panics
    ///
    /// When it reads something else.
    #[track_caller]
    pub fn has_text(&self, text: &str) -> &Self {
        self.holds(self.output.to_text() == text, format_args!("the text\n{text}\n"))
    }

    /// The model reads this, among other things.
    ///
    /// # Panics
    ///
    /// When it does not.
    #[track_caller]
    pub fn contains(&self, part: &str) -> &Self {
        self.holds(self.output.to_text().contains(part), format_args!("a text with\n{part}\n"))
    }

    /// These images, by their media types, go with the text.
    ///
    /// # Panics
    ///
    /// When there are others, more, or fewer.
    #[track_caller]
    pub fn has_images(&self, mime_types: &[&str]) -> &Self {
        self.holds(images(&self.output).eq(mime_types.iter().copied()), format_args!("the images {mime_types:?}"))
    }

    /// The details are this, as JSON.
    ///
    /// # Panics
    ///
    /// When they are not, or there are none.
    #[track_caller]
    pub fn has_details(&self, details: impl Serialize) -> &Self {
        let details = json!(details);
        self.holds(self.output.details() == Some(&details), format_args!("the details\n{details:#}\n"))
    }

    /// The structured content is this, as JSON.
    ///
    /// # Panics
    ///
    /// When it is not, or there is none.
    #[track_caller]
    pub fn has_structured_content(&self, content: impl Serialize) -> &Self {
        let content = json!(content);
        let is_it = self.output.structured_content() == Some(&content);
        self.holds(is_it, format_args!("the structured content\n{content:#}\n"))
    }

    /// The output, for what is not asked here.
    #[must_use]
    pub fn output(&self) -> &ToolOutput {
        &self.output
    }

    #[track_caller]
    fn holds(&self, holds: bool, expected: impl fmt::Display) -> &Self {
        assert!(holds, "expected {expected} from {}", Told(&self.output));
        self
    }
}

fn images(output: &ToolOutput) -> impl Iterator<Item = &str> {
    output.content().iter().filter_map(|block| match block {
        Content::Image(image) => Some(image.mime_type()),
        _ => None,
    })
}

/// All that there is to an output, for a message.
struct Told<'a>(&'a ToolOutput);

impl fmt::Display for Told<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(output) = self;
        write!(f, "{}:\n{}", if output.is_error() { "an error" } else { "a success" }, output.to_text())?;
        for block in output.content() {
            match block {
                Content::Text { .. } => {}
                Content::Image(image) => write!(f, "\n[{}]", image.mime_type())?,
                Content::Audio(audio) => write!(f, "\n[{}]", audio.mime_type())?,
                Content::Resource(resource) => write!(f, "\n[{}]", resource.uri())?,
            }
        }
        let named = [("details", output.details()), ("structured content", output.structured_content())];
        for (name, value) in named.into_iter().filter_map(|(name, value): (_, Option<&Value>)| Some((name, value?))) {
            write!(f, "\n{name}: {value:#}")?;
        }
        Ok(())
    }
}
