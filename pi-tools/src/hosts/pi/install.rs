//! `pi install` and `pi uninstall`: the extension in the folders where Pi looks for it.

use std::path::{Path, PathBuf};
use std::{env, io};

use super::extension::{self, Extension, Written};
use crate::error::ToolError;

/// What was done, and what the user should know about it.
pub(crate) struct Done {
    pub(crate) text: String,
    pub(crate) notes: Vec<String>,
}

/// Writes the extension where Pi finds it: for all of the user's sessions, or for those in this folder.
///
/// # Errors
///
/// When the file there is somebody else's or was changed, unless `force`d; and when it cannot be written.
pub(crate) fn install(name: &str, policies: &[String], local: bool, force: bool) -> Result<Done, ToolError> {
    let path = folder(local)?.join(format!("{name}.ts"));
    let command = command(name, local);
    let running = env::current_exe()?;
    let found = find(name, &path)?;
    let mut before = String::new();
    if let Some(found) = &found {
        refuse_foreign(name, found)?;
        if !force {
            refuse_changed(found, "install", &command)?;
            refuse_other(found, &running, &command)?;
        }
        match &found.executable {
            Some(old) if *old != running => before = format!("\nIt ran {} before.", old.display()),
            _ => {}
        }
    }
    let executable = extension::path_literal(&running)?;
    let mend = format!("run `{command}` again, with the executable that is to be used");
    let text = Extension { name, executable: &executable, import: "", policies, mend: &mend }.text();
    let is_same = found.is_some() && std::fs::read_to_string(&path).is_ok_and(|present| present == text);
    if !is_same {
        extension::write(&path, &text)?;
    }
    let did = match (&found, is_same) {
        (_, true) => format!("{name} is installed already: {}", path.display()),
        (Some(_), _) => format!("Installed {name} anew: {}", path.display()),
        (None, _) => format!("Installed {name}: {}", path.display()),
    };
    let next = if local {
        "Pi loads it at its next start in this folder, or at /reload, if the folder is trusted: it asks when it starts, \
         /trust keeps the answer, and without a terminal `pi --approve` gives it.\nIt names a path on this machine, so keep \
         it out of version control."
    } else {
        "Pi loads it at its next start, or at /reload."
    };
    Ok(Done {
        text: format!("{did}\nIt runs {}.{before}\n{next}\n", running.display()),
        notes: built_by_cargo(&running).into_iter().collect(),
    })
}

/// Removes what [`install`] has written, and nothing else.
///
/// # Errors
///
/// As [`install`].
pub(crate) fn uninstall(name: &str, local: bool, force: bool) -> Result<Done, ToolError> {
    let path = folder(local)?.join(format!("{name}.ts"));
    let done = |text| Ok(Done { text, notes: Vec::new() });
    let Some(found) = find(name, &path)? else {
        return done(format!("{name} is not installed: there is no {}\n", path.display()));
    };
    refuse_foreign(name, &found)?;
    if !force {
        let command = command(name, local).replace(" install", " uninstall");
        refuse_changed(&found, "uninstall", &command)?;
        refuse_other(&found, &env::current_exe()?, &command)?;
    }
    std::fs::remove_file(&path)
        .map_err(|error| ToolError::new(format!("cannot remove {}: {error}", path.display())))?;
    done(format!("Uninstalled {name}: {} is gone. A Pi that runs keeps the tools until /reload.\n", path.display()))
}

/// The files that bring the bundle into a Pi that is started here.
pub(crate) fn installed(name: &str) -> impl Iterator<Item = PathBuf> {
    let paths = [false, true].into_iter().filter_map(move |local| Some(folder(local).ok()?.join(format!("{name}.ts"))));
    paths.filter(move |path| matches!(find(name, path), Ok(Some(found)) if found.name == name))
}

fn command(name: &str, local: bool) -> String {
    format!("{name} pi install{}", if local { " --local" } else { "" })
}

/// Where Pi looks for extensions: of the user, or of the project in the current folder.
///
/// # Errors
///
/// When there is no home and no other folder is named.
pub(super) fn folder(local: bool) -> Result<PathBuf, ToolError> {
    if local { Ok(env::current_dir()?.join(".pi/extensions")) } else { Ok(agent_folder()?.join("extensions")) }
}

/// Pi's folder of the user, by Pi's rules.
///
/// # Errors
///
/// As [`folder`].
pub(super) fn agent_folder() -> Result<PathBuf, ToolError> {
    let home = || {
        let variable = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
        let home = env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from);
        home.ok_or_else(|| ToolError::new(format!("where Pi keeps its files is not known: set {variable}")))
    };
    match env::var_os("PI_CODING_AGENT_DIR").filter(|value| !value.is_empty()).map(PathBuf::from) {
        None => Ok(home()?.join(".pi/agent")),
        Some(path) => match path.strip_prefix("~") {
            Ok(rest) => Ok(home()?.join(rest)),
            Err(_) => Ok(std::path::absolute(path)?),
        },
    }
}

fn find(name: &str, path: &Path) -> Result<Option<Written>, ToolError> {
    match Written::read(path) {
        Ok(Some(written)) => Ok(Some(written)),
        Ok(None) => Err(ToolError::new(format!(
            "{} is there already, and was not written by `{name} pi install`: move it away if it is not needed",
            path.display()
        ))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(ToolError::new(format!("cannot read {}: {error}", path.display()))),
    }
}

/// Somebody may have renamed the file.
fn refuse_foreign(name: &str, found: &Written) -> Result<(), ToolError> {
    if found.name == name {
        return Ok(());
    }
    Err(ToolError::new(format!(
        "{} holds the tools of another bundle, `{}`: move it away if it is not needed",
        found.path.display(),
        found.name
    )))
}

fn refuse_changed(found: &Written, verb: &str, command: &str) -> Result<(), ToolError> {
    if !found.is_changed {
        return Ok(());
    }
    Err(ToolError::new(format!(
        "{} was edited since it was written: keep a copy of what you need, and {verb} with `{command} --force`",
        found.path.display()
    )))
}

/// An executable that was moved has left nobody behind. One that is still there may be another bundle of the same name.
fn refuse_other(found: &Written, running: &Path, command: &str) -> Result<(), ToolError> {
    match &found.executable {
        Some(other) if other != running && other.exists() => Err(ToolError::new(format!(
            "{} runs another executable of this name, {}, and not {}: if that is meant, `{command} --force`",
            found.path.display(),
            other.display(),
            running.display()
        ))),
        _ => Ok(()),
    }
}

/// What to say of an executable in a folder that is cargo's to empty.
pub(super) fn built_by_cargo(executable: &Path) -> Option<String> {
    let folder = executable.ancestors().skip(1).find(|folder| folder.join(".cargo-lock").is_file())?;
    Some(format!(
        "the executable is in {}, where every build replaces it and `cargo clean` removes it: for a lasting one, \
         `cargo install --path .`, and install with that",
        folder.display()
    ))
}
