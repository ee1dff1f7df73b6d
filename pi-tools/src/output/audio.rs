//! Sound for the model.

use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::encoded::{Encoded, Kinds, decoded_len};
use crate::error::ToolError;

/// Sound: its bytes in base64, and its media type.
///
/// Clients of MCP take it since 2025-03-26. Pi and its sessions have no sound, so there a text says what it is:
/// `[audio/wav, 44 bytes]`.
///
/// # Example
///
/// ```
/// use pi_tools::prelude::*;
/// use pi_tools::Audio;
///
/// /// Play back a recording.
/// #[pi_tool]
/// fn play(
///     /// Which one.
///     path: ToolPath,
///     cx: &ToolContext,
/// ) -> Result<ToolOutput, ToolError> {
///     let recording = Audio::from_file(path.resolve(cx.cwd())?)?;
///     Ok(ToolOutput::text("The recording:").with_audio(recording))
/// }
/// ```
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Audio {
    // Boxed, so that a block of content is no larger than a text.
    encoded: Box<Encoded>,
}

const KINDS: Kinds = Kinds { mime_type, problem: "not a sound: expected WAV, MP3, Ogg or FLAC" };

impl Audio {
    /// Sound from the content of its file: WAV, MP3, Ogg or FLAC, as its first bytes say.
    ///
    /// ```
    /// use pi_tools::Audio;
    ///
    /// let audio = Audio::from_bytes(b"fLaC\0\0\0\x22")?;
    /// assert_eq!((audio.mime_type(), audio.data()), ("audio/flac", "ZkxhQwAAACI="));
    /// # Ok::<(), pi_tools::ToolError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// When it is none of these.
    pub fn from_bytes(bytes: impl AsRef<[u8]>) -> Result<Self, ToolError> {
        Ok(Self { encoded: KINDS.encode(bytes.as_ref())? })
    }

    /// Sound from a file, whatever its name ends in. It blocks: an `async fn` reads the file by itself, and takes
    /// [`from_bytes`](Self::from_bytes).
    ///
    /// ```no_run
    /// let alarm = pi_tools::Audio::from_file("alarm.ogg")?;
    /// # Ok::<(), pi_tools::ToolError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// When the file cannot be read, or is none of the kinds of sound; either names the file.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self, ToolError> {
        Ok(Self { encoded: KINDS.encode_file(path.as_ref())? })
    }

    /// The bytes, in base64 with padding.
    #[must_use]
    pub fn data(&self) -> &str {
        &self.encoded.data
    }

    /// The media type, like `audio/wav`.
    #[must_use]
    pub fn mime_type(&self) -> &str {
        &self.encoded.mime_type
    }

    pub(super) fn in_words(&self) -> String {
        format!("[{}, {} bytes]", self.mime_type(), decoded_len(self.data()))
    }
}

/// Without the data, of which there is too much to read.
impl fmt::Debug for Audio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Audio({}, {} characters of base64)", self.mime_type(), self.data().len())
    }
}

fn mime_type(bytes: &[u8]) -> Option<&'static str> {
    let has = |at: usize, magic: &[u8]| bytes.get(at..).is_some_and(|rest| rest.starts_with(magic));
    if has(0, b"RIFF") && has(8, b"WAVE") {
        Some("audio/wav")
    } else if has(0, b"fLaC") {
        Some("audio/flac")
    } else if has(0, b"OggS") {
        Some("audio/ogg")
    } else if has(0, b"ID3") || is_mpeg_header(bytes) {
        Some("audio/mpeg")
    } else {
        None
    }
}

/// The header of a frame of MPEG's third layer: eleven bits that are set, and no value that is reserved.
fn is_mpeg_header(bytes: &[u8]) -> bool {
    let [0xff, second, third, _, ..] = *bytes else { return false };
    let (version, layer) = (second >> 3 & 3, second >> 1 & 3);
    let (bit_rate, sample_rate) = (third >> 4, third >> 2 & 3);
    second >> 5 == 7 && version != 1 && layer == 1 && bit_rate != 15 && sample_rate != 3
}

#[cfg(test)]
mod tests {
    use super::mime_type;

    #[test]
    fn kinds_are_told_apart() {
        let cases: [(&[u8], Option<&str>); 14] = [
            (b"RIFF\x24\0\0\0WAVEfmt ", Some("audio/wav")),
            (b"RIFF\x10\0\0\0WEBPVP8 ", None),
            (b"fLaC\0\0\0\x22", Some("audio/flac")),
            (b"OggS\0\x02", Some("audio/ogg")),
            (b"ID3\x04\0", Some("audio/mpeg")),
            (b"\xff\xfb\x90\x64", Some("audio/mpeg")),
            (b"\xff\xf3\x40\xc4", Some("audio/mpeg")),
            // Of a reserved version, another layer, a reserved rate of bits and of samples; a JPEG; too short.
            (b"\xff\xeb\x90\x64", None),
            (b"\xff\xfd\x90\x64", None),
            (b"\xff\xfb\xf0\x64", None),
            (b"\xff\xfb\x9c\x64", None),
            (b"\xff\xd8\xff\xe0", None),
            (b"\xff\xfb", None),
            (b"", None),
        ];
        for (bytes, expected) in cases {
            assert_eq!(mime_type(bytes), expected, "{bytes:?}");
        }
    }
}
