//! `pi run`: writes the extension out and starts Pi with it.

use std::collections::hash_map::DefaultHasher;
use std::ffi::OsString;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::{env, fs, io};

/// The extension, which is the same for every bundle but for two tokens.
const EXTENSION: &str = include_str!("extension.ts");
const EXECUTABLE: &str = "\"__PI_TOOLS_EXECUTABLE__\"";
const SERVE: &str = "[\"serve\"]";

/// Starts Pi with this executable's tools, under these policies, and `arguments`. On Unix it returns only if Pi could not
/// be started.
pub(crate) fn run(name: &str, policies: &[String], arguments: &[OsString]) -> io::Result<ExitCode> {
    let extension = write_extension(name, &env::current_exe()?, policies)?;
    let mut pi = Command::new(if cfg!(windows) { "pi.cmd" } else { "pi" });
    pi.arg("--extension").arg(extension).args(arguments);
    start(&mut pi).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => io::Error::new(
            error.kind(),
            "`pi` is not on the PATH: install it with `npm install --global @earendil-works/pi-coding-agent` \
             (it needs Node 22.19 or later)",
        ),
        kind => io::Error::new(kind, format!("`pi` does not start: {error}")),
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

/// Writes the extension for `executable` into the user's cache, where it outlives Pi's `/reload`.
fn write_extension(name: &str, executable: &Path, policies: &[String]) -> io::Result<PathBuf> {
    let executable = executable
        .to_str()
        .ok_or_else(|| io::Error::other(format!("the executable's path is not Unicode: {}", executable.display())))?;
    let serve: Vec<&str> =
        std::iter::once("serve").chain(policies.iter().flat_map(|text| ["--policy", text])).collect();
    // Under other policies it is another file: the sessions that run with this one reload it.
    let mut hasher = DefaultHasher::new();
    (executable, &serve).hash(&mut hasher);
    let folder = cache_folder()?.join("pi-tools");
    let path = folder.join(format!("{name}-{:016x}.ts", hasher.finish()));
    let text = EXTENSION.replacen(SERVE, &serde_json::to_string(&serve)?, 1);
    let text = text.replace(EXECUTABLE, &serde_json::to_string(executable)?);
    if fs::read_to_string(&path).is_ok_and(|present| present == text) {
        return Ok(path);
    }
    let failed = |error: io::Error| io::Error::new(error.kind(), format!("cannot write {}: {error}", path.display()));
    fs::create_dir_all(&folder).map_err(failed)?;
    // A Pi that starts at the same time must not read half of it.
    let partial = path.with_extension(format!("{}.partial", std::process::id()));
    fs::write(&partial, text).and_then(|()| fs::rename(&partial, &path)).map_err(failed)?;
    Ok(path)
}

fn cache_folder() -> io::Result<PathBuf> {
    let from = |variable: &str| env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from);
    let folder = if cfg!(windows) {
        from("LOCALAPPDATA")
    } else {
        from("XDG_CACHE_HOME").or_else(|| from("HOME").map(|home| home.join(".cache")))
    };
    folder.ok_or_else(|| io::Error::other("no folder for the extension: set HOME"))
}
