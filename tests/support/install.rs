//! Programs of others, which are installed below the target directory from a list of exact versions.

use std::env;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Installs what `list` names into a directory, which must have `program` then, and returns that directory. It does
/// nothing when the same list is installed there already.
pub(crate) fn once(
    directory: &str,
    list: &str,
    program: &str,
    install: impl FnOnce(&Path) -> Result<(), String>,
) -> Result<PathBuf, String> {
    let directory = crate::target_folder().join(directory);
    let stamp = directory.join("installed.json");
    let io_error = |error: io::Error| format!("{}: {error}", directory.display());

    fs::create_dir_all(&directory).map_err(io_error)?;
    let lock = File::create(directory.join("lock")).map_err(io_error)?;
    // Other test processes may be at it. Closing the file releases the lock.
    lock.lock().map_err(io_error)?;
    let installed = fs::read_to_string(&stamp).is_ok_and(|installed| installed == list);
    if installed && directory.join(program).exists() {
        return Ok(directory);
    }

    // A failed install leaves a mixture.
    let _ = fs::remove_file(&stamp);
    install(&directory)?;
    fs::write(&stamp, list).map_err(io_error)?;
    Ok(directory)
}

/// Installs the packages of a lock file with npm.
pub(crate) fn npm(directory: &Path, package: &str, lock: &str, options: &[&str]) -> Result<(), String> {
    for (name, text) in [("package.json", package), ("package-lock.json", lock)] {
        fs::write(directory.join(name), text).map_err(|error| format!("{}: {error}", directory.display()))?;
    }
    let mut npm = Command::new("npm");
    npm.args(["ci", "--include=dev", "--no-audit", "--no-fund", "--loglevel=error"]).args(options);
    run(npm.current_dir(directory)).map(drop)
}

/// What is installed; or nothing, after a notice. Panics in place of that when the environment says that it must not be.
pub(crate) fn or_notice<T>(what: &str, variable: &str, installed: Result<T, String>) -> Option<T> {
    match installed {
        Ok(installed) => Some(installed),
        Err(problem) => {
            let required = env::var_os(variable).is_some_and(|value| value == "1");
            assert!(!required, "{what} could not be installed: {problem}");
            let line = "=".repeat(80);
            let notice = format!(
                "\n{line}\nNOT TESTED: tests with {what} do nothing, it could not be installed:\n\
                 {problem}\nSet {variable}=1 to make them fail instead.\n{line}\n"
            );
            // The test runner captures what the macros print.
            let _ = io::stderr().write_all(notice.as_bytes());
            None
        }
    }
}

/// What a program prints. An error has all that it says.
pub(crate) fn run(command: &mut Command) -> Result<String, String> {
    let output = command.stdin(Stdio::null()).output().map_err(|error| format!("{command:?}: {error}"))?;
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        return Ok(stdout);
    }
    let stderr = String::from_utf8_lossy(&output.stderr);
    Err(format!("{command:?}: {}\n{stdout}{stderr}", output.status))
}
