//! Executables that tests write, replace and remove.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use serde_json::json;
use tempfile::TempDir;

const EXTENSION: &str = include_str!("../../pi-tools/src/hosts/pi/extension.ts");
const SCRIPTED: &str = include_str!("scripted-bundle.js");

/// Executables that come and go, and the extensions that bring them into Pi.
pub(super) struct Bundles {
    folder: TempDir,
}

impl Bundles {
    pub(super) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        // The real path is what the system calls it.
        self.folder.path().canonicalize().unwrap().join(name)
    }

    /// The extension for an executable, which may not be there.
    pub(super) fn extension(&self, name: &str) -> PathBuf {
        let text = EXTENSION.replace("\"__PI_TOOLS_EXECUTABLE__\"", &json!(self.path(name)).to_string());
        let file = self.path(&format!("{name}.ts"));
        fs::write(&file, text).unwrap();
        file
    }

    /// Builds it, as cargo does: the file is another one, and what runs has the old one.
    pub(super) fn build(&self, name: &str, contents: &[u8], mode: u32) {
        let partial = self.path("partial");
        fs::write(&partial, contents).unwrap();
        fs::set_permissions(&partial, fs::Permissions::from_mode(mode)).unwrap();
        fs::rename(partial, self.path(name)).unwrap();
    }

    pub(super) fn copy(&self, name: &str, executable: &str) {
        self.build(name, &fs::read(executable).unwrap(), 0o755);
    }

    /// One that a test writes.
    pub(super) fn script(&self, name: &str, serve: &str) {
        self.build(name, format!("{SCRIPTED}{serve}").as_bytes(), 0o755);
    }
}
