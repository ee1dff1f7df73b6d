//! Files and other things that have an address, for the model.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::encoded::{decoded_len, encode};

/// Something that has an address, with its content: a text or bytes.
///
/// A client of MCP may show it, keep it, or give it to the model. The text is one of those that a model reads: it is cut with
/// the others. Pi and its sessions have no resources, so there the address stands in front of the text, and for bytes a text
/// says what they are: `[file:///chart.pdf, application/pdf, 512 bytes]`.
///
/// # Example
///
/// ```
/// use pi_tools::prelude::*;
/// use pi_tools::Resource;
///
/// /// Look up a customer.
/// #[pi_tool]
/// fn customer(
///     /// The customer's number.
///     number: u32,
/// ) -> ToolOutput {
///     let record = Resource::from_text(format!("crm://customers/{number}"), r#"{"name":"Ada"}"#);
///     ToolOutput::text("1 customer").with_resource(record.with_mime_type("application/json"))
/// }
/// ```
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resource {
    // Boxed, so that a block of content is no larger than a text.
    resource: Box<Contents>,
}

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Contents {
    uri: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mime_type: Option<String>,
    #[serde(flatten)]
    body: Body,
}

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Body {
    Text(String),
    /// In base64.
    Blob(String),
}

impl Resource {
    /// A text at an address.
    ///
    /// ```
    /// let notes = pi_tools::Resource::from_text("file:///notes.md", "# Notes");
    /// assert_eq!((notes.text(), notes.data(), notes.mime_type()), (Some("# Notes"), None, None));
    /// ```
    pub fn from_text(uri: impl Into<String>, text: impl Into<String>) -> Self {
        Self::new(uri.into(), Body::Text(text.into()))
    }

    /// Bytes at an address.
    ///
    /// ```
    /// use pi_tools::Resource;
    ///
    /// let chart = Resource::from_bytes("file:///chart.pdf", b"%PDF-2.0").with_mime_type("application/pdf");
    /// assert_eq!((chart.uri(), chart.data()), ("file:///chart.pdf", Some("JVBERi0yLjA=")));
    /// ```
    pub fn from_bytes(uri: impl Into<String>, bytes: impl AsRef<[u8]>) -> Self {
        Self::new(uri.into(), Body::Blob(encode(bytes.as_ref())))
    }

    fn new(uri: String, body: Body) -> Self {
        Self { resource: Box::new(Contents { uri, mime_type: None, body }) }
    }

    /// Says of which kind the content is, like `application/json`.
    #[must_use]
    pub fn with_mime_type(mut self, mime_type: impl Into<String>) -> Self {
        self.resource.mime_type = Some(mime_type.into());
        self
    }

    /// The address.
    #[must_use]
    pub fn uri(&self) -> &str {
        &self.resource.uri
    }

    /// The media type, if it is known.
    #[must_use]
    pub fn mime_type(&self) -> Option<&str> {
        self.resource.mime_type.as_deref()
    }

    /// The text, unless the content is bytes.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match &self.resource.body {
            Body::Text(text) => Some(text),
            Body::Blob(_) => None,
        }
    }

    /// The bytes, in base64 with padding, unless the content is a text.
    #[must_use]
    pub fn data(&self) -> Option<&str> {
        match &self.resource.body {
            Body::Text(_) => None,
            Body::Blob(data) => Some(data),
        }
    }

    pub(super) fn text_mut(&mut self) -> Option<&mut String> {
        match &mut self.resource.body {
            Body::Text(text) => Some(text),
            Body::Blob(_) => None,
        }
    }

    pub(super) fn in_words(&self) -> String {
        match &self.resource.body {
            Body::Text(text) => format!("{}\n{text}", self.uri()),
            Body::Blob(data) => {
                let mime_type = self.mime_type().map(|mime_type| format!(", {mime_type}")).unwrap_or_default();
                format!("[{}{mime_type}, {} bytes]", self.uri(), decoded_len(data))
            }
        }
    }
}

/// Without bytes, of which there are too many to read.
impl fmt::Debug for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Resource");
        debug.field("uri", &self.uri()).field("mime_type", &self.mime_type());
        match &self.resource.body {
            Body::Text(text) => debug.field("text", text),
            Body::Blob(data) => debug.field("data", &format_args!("{} characters of base64", data.len())),
        };
        debug.finish()
    }
}
