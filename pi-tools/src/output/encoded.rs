//! Bytes of a known kind, as they go over the wire.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use crate::error::ToolError;

/// Bytes in base64, and their media type.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Encoded {
    pub(super) data: String,
    pub(super) mime_type: String,
}

/// Kinds of files, which their first bytes tell.
pub(super) struct Kinds {
    /// The media type of a file that begins like this.
    pub(super) mime_type: fn(&[u8]) -> Option<&'static str>,
    /// What is wrong with a file of another kind.
    pub(super) problem: &'static str,
}

impl Kinds {
    pub(super) fn encode(&self, bytes: &[u8]) -> Result<Box<Encoded>, ToolError> {
        let mime_type = (self.mime_type)(bytes).ok_or_else(|| ToolError::new(self.problem))?;
        Ok(Box::new(Encoded { data: encode(bytes), mime_type: mime_type.to_owned() }))
    }

    pub(super) fn encode_file(&self, path: &Path) -> Result<Box<Encoded>, ToolError> {
        let of_file = |error: ToolError| ToolError::new(format!("{}: {error}", path.display()));
        let bytes = std::fs::read(path).map_err(|error| of_file(error.into()))?;
        self.encode(&bytes).map_err(of_file)
    }
}

pub(super) fn encode(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// How many bytes this is in base64 with padding.
pub(super) fn decoded_len(data: &str) -> usize {
    let padding = data.bytes().rev().take_while(|byte| *byte == b'=').count();
    (data.len() / 4 * 3).saturating_sub(padding)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_length_is_that_of_the_bytes() {
        for length in 0..10 {
            assert_eq!(super::decoded_len(&super::encode(&vec![7; length])), length);
        }
    }
}
