//! The extension file: filled in for a bundle, written, and recognised again.

use std::path::{Path, PathBuf};
use std::{fs, io};

use crate::error::ToolError;
use crate::path::replace_file;
use crate::protocol::PROTOCOL_VERSION;

/// The extension, which is the same for every bundle but for its first line and three tokens.
const TEMPLATE: &str = include_str!("extension.ts");
const EXECUTABLE: &str = "\"__PI_TOOLS_EXECUTABLE__\"";
const SERVE: &str = "[\"serve\"]";
const MEND: &str = "\"__PI_TOOLS_MEND__\"";
/// The version of this crate, which the file carries.
pub(super) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What the extension of a bundle is filled with.
#[derive(Clone, Copy)]
pub(super) struct Extension<'a> {
    pub(super) name: &'a str,
    /// As TypeScript, and what must be imported for it.
    pub(super) executable: &'a str,
    pub(super) import: &'a str,
    pub(super) policies: &'a [String],
    /// What the user does when the file and the executable do not fit together any more.
    pub(super) mend: &'a str,
}

impl Extension<'_> {
    pub(super) fn text(self) -> String {
        let serve: Vec<&str> =
            std::iter::once("serve").chain(self.policies.iter().flat_map(|text| ["--policy", text])).collect();
        let text = TEMPLATE.replacen(EXECUTABLE, self.executable, 1).replacen(SERVE, &literal(&serve), 1).replacen(
            MEND,
            &literal(self.mend),
            1,
        );
        let text = format!("{}{text}", self.import);
        format!(
            "// The tools of {}: pi-tools {VERSION}, protocol {PROTOCOL_VERSION}, sum {:016x}\n{text}",
            self.name,
            sum(&text)
        )
    }
}

/// JSON is TypeScript.
pub(super) fn literal(value: &(impl serde::Serialize + ?Sized)) -> String {
    serde_json::to_string(value).expect("text is JSON")
}

/// A path, which has to be text for this file.
///
/// # Errors
///
/// When it is none.
pub(super) fn path_literal(executable: &Path) -> Result<String, ToolError> {
    match executable.to_str() {
        Some(text) => Ok(literal(text)),
        None => Err(ToolError::new(format!(
            "the executable's path is not Unicode, so no extension can name it: {}; move it elsewhere",
            executable.display()
        ))),
    }
}

/// An extension file that this crate has written, in any of its versions.
#[derive(Debug)]
pub(super) struct Written {
    pub(super) path: PathBuf,
    /// The bundle's name.
    pub(super) name: String,
    /// The version of this crate that wrote it, and of the protocol that it speaks.
    pub(super) version: String,
    pub(super) protocol: u32,
    /// What it runs; a package finds it out itself.
    pub(super) executable: Option<PathBuf>,
    /// Whether somebody has changed it since.
    pub(super) is_changed: bool,
}

impl Written {
    /// Reads a file; `None` is one that this crate has not written.
    ///
    /// # Errors
    ///
    /// When the file cannot be read. One that is not there is an error of its own kind.
    pub(super) fn read(path: &Path) -> io::Result<Option<Self>> {
        let bytes = fs::read(path)?;
        Ok(std::str::from_utf8(&bytes).ok().and_then(|text| Self::parse(path, text)))
    }

    fn parse(path: &Path, text: &str) -> Option<Self> {
        let (head, rest) = text.split_once('\n')?;
        let (name, head) = head.trim_end().strip_prefix("// The tools of ")?.rsplit_once(": pi-tools ")?;
        let (version, head) = head.split_once(", protocol ")?;
        let (protocol, written) = head.split_once(", sum ")?;
        let executable = rest.lines().find_map(|line| line.strip_prefix("const EXECUTABLE: string = "));
        let executable = executable.and_then(|text| serde_json::from_str(text.trim_end().trim_end_matches(';')).ok());
        Some(Self {
            path: path.to_owned(),
            name: name.to_owned(),
            version: version.to_owned(),
            protocol: protocol.parse().ok()?,
            executable,
            is_changed: written != format!("{:016x}", sum(rest)),
        })
    }
}

/// Writes a file, and the folders to it. A Pi that starts at the same time must not read half of it.
///
/// # Errors
///
/// When the system refuses it, with the path.
pub(super) fn write(path: &Path, text: &str) -> Result<(), ToolError> {
    let failed = |error: io::Error| ToolError::new(format!("cannot write {}: {error}", path.display()));
    path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| replace_file(path, text)).map_err(failed)
}

/// FNV-1a: it is the same in every version of Rust, and tells whether somebody has edited the file.
fn sum(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_recognised() {
        let policies = ["deny=a \"b\"".to_owned()];
        let executable = literal("/opt/my \"tools\"/x");
        let extension = Extension {
            name: "x",
            executable: &executable,
            import: "",
            policies: &policies,
            mend: "run `x pi install`",
        };
        let text = extension.text();
        assert!(text.contains(r#"const SERVE: string[] = ["serve","--policy","deny=a \"b\""];"#));
        assert!(!text.contains("__PI_TOOLS_"), "every token is filled in");
        assert!(text.contains(&format!("const PROTOCOL_VERSION = {PROTOCOL_VERSION};")), "both ends speak one version");
        let written = Written::parse(Path::new("x.ts"), &text).unwrap();
        assert_eq!(
            (written.name.as_str(), written.version.as_str(), written.protocol),
            ("x", VERSION, PROTOCOL_VERSION)
        );
        assert_eq!(written.executable.as_deref(), Some(Path::new("/opt/my \"tools\"/x")));
        assert!(!written.is_changed);
        assert!(Written::parse(Path::new("x.ts"), &text.replace("1_200", "9_999")).unwrap().is_changed);
        assert!(Written::parse(Path::new("x.ts"), TEMPLATE).is_none());
    }
}
