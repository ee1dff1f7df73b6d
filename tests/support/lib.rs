//! What the tests share: the example executables, the real Pi, and real clients of MCP. It panics where a test would.
#![allow(clippy::missing_panics_doc, clippy::must_use_candidate, clippy::return_self_not_must_use)]

mod install;
pub mod mcp;
pub mod pi;
pub mod provider;
pub mod random;
pub mod strict;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// The executable of an example, built from the present sources.
///
/// Cargo tells the path of an executable only to tests of its own package, and builds it for those only.
pub fn example(name: &str) -> PathBuf {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        let build = Command::new(env!("CARGO"))
            .args(["build", "--quiet", "--workspace", "--bins"])
            .current_dir(workspace())
            .status()
            .expect("cargo runs");
        assert!(build.success(), "the examples do not build");
        target_folder().join("debug")
    });
    folder.join(name).with_extension(std::env::consts::EXE_EXTENSION)
}

/// An executable before its start: with nothing to read, and both its outputs to be read.
pub fn command(program: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// What an executable ends with: stdout, stderr and the exit status.
pub fn output(program: &str, arguments: &[&str]) -> (String, String, Option<i32>) {
    let output = command(program, arguments).output().expect("it starts");
    let text = |bytes| String::from_utf8(bytes).expect("it writes UTF-8");
    (text(output.stdout), text(output.stderr), output.status.code())
}

/// The root of the workspace.
pub fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the package stands in the workspace")
}

/// Where cargo builds.
pub fn target_folder() -> PathBuf {
    let executable = std::env::current_exe().expect("a test knows its path");
    // Cargo marks the folder, which may be anywhere and has the test two or three levels down.
    let marked = executable.ancestors().find(|folder| folder.join("CACHEDIR.TAG").is_file());
    marked.map_or_else(|| workspace().join("target"), Path::to_path_buf)
}
