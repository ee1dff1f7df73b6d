//! `pi run`: writes the extension out and starts Pi with it.

use std::collections::hash_map::DefaultHasher;
use std::ffi::OsString;
use std::hash::{Hash, Hasher};
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::{env, fs, io};

use super::extension::{self, Extension};
use crate::error::ToolError;

/// How Pi's command is called.
pub(super) const PI: &str = if cfg!(windows) { "pi.cmd" } else { "pi" };
/// How Pi comes to be there.
pub(super) const INSTALL_PI: &str =
    "install it with `npm install --global @earendil-works/pi-coding-agent` (it needs Node 22.19 or later)";

/// Starts Pi with this executable's tools, under these policies, and `arguments`. On Unix it returns only if Pi could not
/// be started.
///
/// # Errors
///
/// When the extension cannot be written, or Pi does not start.
pub(crate) fn run(name: &str, policies: &[String], arguments: &[OsString]) -> Result<ExitCode, ToolError> {
    let extension = write_extension(name, policies)?;
    let mut pi = Command::new(PI);
    pi.arg("--extension").arg(extension).args(arguments);
    start(&mut pi).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => ToolError::new(format!("`pi` is not on the PATH: {INSTALL_PI}")),
        _ => ToolError::new(format!("`pi` does not start: {error}")),
    })
}

#[cfg(unix)]
fn start(pi: &mut Command) -> io::Result<ExitCode> {
    use std::os::unix::process::CommandExt as _;

    // In place of this process: signals, the terminal and the exit status are Pi's.
    Err(pi.exec())
}

#[cfg(not(unix))]
fn start(pi: &mut Command) -> io::Result<ExitCode> {
    let status = pi.status()?;
    Ok(ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1)))
}

/// Writes the extension for this executable into the user's cache, where it outlives Pi's `/reload`.
fn write_extension(name: &str, policies: &[String]) -> Result<PathBuf, ToolError> {
    let executable = env::current_exe()?;
    // Under other policies it is another file: the sessions that run with this one reload it.
    let mut hasher = DefaultHasher::new();
    (&executable, policies).hash(&mut hasher);
    let path = cache_folder()?.join("pi-tools").join(format!("{name}-{:016x}.ts", hasher.finish()));
    let executable = extension::path_literal(&executable)?;
    let mend = format!("end Pi, and start it again with `{name} pi run`");
    let text = Extension { name, executable: &executable, import: "", policies, mend: &mend }.text();
    if !fs::read_to_string(&path).is_ok_and(|present| present == text) {
        extension::write(&path, &text)?;
    }
    Ok(path)
}

fn cache_folder() -> Result<PathBuf, ToolError> {
    let from = |variable: &str| env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from);
    let folder = if cfg!(windows) {
        from("LOCALAPPDATA")
    } else {
        from("XDG_CACHE_HOME").or_else(|| from("HOME").map(|home| home.join(".cache")))
    };
    folder.ok_or_else(|| ToolError::new("no folder for the extension: set HOME"))
}
