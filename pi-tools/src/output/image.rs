//! Images for the model.

use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::encoded::{Encoded, Kinds};
use crate::error::ToolError;

/// An image, as models take it: its bytes in base64, and its media type.
///
/// # Example
///
/// ```
/// use pi_tools::prelude::*;
/// use pi_tools::Image;
///
/// /// Take a picture.
/// #[pi_tool]
/// fn picture(
///     /// Of what.
///     path: ToolPath,
///     cx: &ToolContext,
/// ) -> Result<ToolOutput, ToolError> {
///     let image = Image::from_file(path.resolve(cx.cwd())?)?;
///     Ok(ToolOutput::text(format!("Read image file [{}]", image.mime_type())).with_image(image))
/// }
/// ```
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Image {
    // Boxed, so that a block of content is no larger than a text.
    encoded: Box<Encoded>,
}

const KINDS: Kinds = Kinds { mime_type, problem: "not an image: expected PNG, JPEG, GIF, WebP or BMP" };

impl Image {
    /// An image from the content of its file: PNG, JPEG, GIF, WebP or BMP, as its first bytes say.
    ///
    /// ```
    /// use pi_tools::Image;
    ///
    /// let image = Image::from_bytes(b"GIF89a\x01\0\x01\0\0\0\0;")?;
    /// assert_eq!((image.mime_type(), image.data()), ("image/gif", "R0lGODlhAQABAAAAADs="));
    /// # Ok::<(), pi_tools::ToolError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// When it is none of these, which providers would refuse.
    pub fn from_bytes(bytes: impl AsRef<[u8]>) -> Result<Self, ToolError> {
        Ok(Self { encoded: KINDS.encode(bytes.as_ref())? })
    }

    /// An image from a file, whatever its name ends in. It blocks: an `async fn` reads the file by itself, and takes
    /// [`from_bytes`](Self::from_bytes).
    ///
    /// ```no_run
    /// let chart = pi_tools::Image::from_file("chart.png")?;
    /// # Ok::<(), pi_tools::ToolError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// When the file cannot be read, or is none of the kinds of images; either names the file.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self, ToolError> {
        Ok(Self { encoded: KINDS.encode_file(path.as_ref())? })
    }

    /// The bytes, in base64 with padding.
    #[must_use]
    pub fn data(&self) -> &str {
        &self.encoded.data
    }

    /// The media type, like `image/png`.
    #[must_use]
    pub fn mime_type(&self) -> &str {
        &self.encoded.mime_type
    }
}

/// Without the data, of which there is too much to read.
impl fmt::Debug for Image {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Image({}, {} characters of base64)", self.mime_type(), self.data().len())
    }
}

/// The kinds that Pi's `read` knows, by what their files begin with.
fn mime_type(bytes: &[u8]) -> Option<&'static str> {
    let has = |at: usize, magic: &[u8]| bytes.get(at..).is_some_and(|rest| rest.starts_with(magic));
    if has(0, b"\x89PNG\r\n\x1a\n") {
        Some("image/png")
    } else if has(0, b"\xff\xd8\xff") && !has(3, b"\xf7") {
        // The other one is JPEG-LS, which nobody takes.
        Some("image/jpeg")
    } else if has(0, b"GIF87a") || has(0, b"GIF89a") {
        Some("image/gif")
    } else if has(0, b"RIFF") && has(8, b"WEBP") {
        Some("image/webp")
    } else if has(0, b"BM") && is_bitmap_header(bytes) {
        Some("image/bmp")
    } else {
        None
    }
}

/// Two letters are also how a text may begin; a bitmap goes on with the size of its second header and one colour plane.
fn is_bitmap_header(bytes: &[u8]) -> bool {
    let number = |at: usize| bytes.get(at..at + 2).map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
    // The upper half of the size is zero.
    match (number(14), number(16)) {
        (Some(12), Some(0)) => number(22) == Some(1),
        (Some(40..=124), Some(0)) => number(26) == Some(1),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::mime_type;

    #[test]
    fn kinds_are_told_apart() {
        let bitmap = |size: u8, planes_at: usize| {
            let mut bytes = [0; 30];
            bytes[..2].copy_from_slice(b"BM");
            bytes[14] = size;
            bytes[planes_at] = 1;
            bytes
        };
        let cases: [(&[u8], Option<&str>); 16] = [
            (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", Some("image/png")),
            (b"\x89PNG\n\x1a\n\0\0\0\rIHDR", None),
            (b"\xff\xd8\xff\xe0", Some("image/jpeg")),
            (b"\xff\xd8\xff\xf7", None),
            (b"\xff\xd8", None),
            (b"GIF87a", Some("image/gif")),
            (b"GIF89a", Some("image/gif")),
            (b"GIF88a", None),
            (b"RIFF\x10\0\0\0WEBPVP8 ", Some("image/webp")),
            (b"RIFF\x10\0\0\0WAVEfmt ", None),
            (b"RIFF", None),
            (&bitmap(40, 26), Some("image/bmp")),
            (&bitmap(12, 22), Some("image/bmp")),
            (&bitmap(40, 22), None),
            (b"BMW and other makers of cars in Germany", None),
            (b"", None),
        ];
        for (bytes, expected) in cases {
            assert_eq!(mime_type(bytes), expected, "{bytes:?}");
        }
    }
}
