//! Paths as a model writes them, by Pi's rules, and the files that they are.

mod replace;
mod url;

use std::borrow::Cow;
use std::fmt;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

use crate::argument::{FromText, Length};

pub use replace::replace_file;

/// What a path from the model means: Unicode spaces are spaces, one `@` in front is dropped, `~` is the home folder, and
/// `file://` is a path. Pi's `expandPath`.
///
/// Nothing is trimmed, `~user` means nothing, and a relative path stays relative. On Windows, `/c/x` is `C:\x`.
///
/// ```
/// use std::path::Path;
///
/// use pi_tools::path::expand_path;
///
/// let expand = |input| expand_path(input, Path::new("/home/ada")).unwrap();
/// assert_eq!(expand("@notes.txt"), Path::new("notes.txt"));
/// assert_eq!(expand("~/notes.txt"), Path::new("/home/ada/notes.txt"));
/// assert_eq!(expand("file:///tmp/my%20notes.txt"), Path::new("/tmp/my notes.txt"));
/// ```
///
/// # Errors
///
/// [`InvalidInput`](ErrorKind::InvalidInput), for a `file://` URL that is no path: it names a host, has a `/` that is
/// encoded, or does not decode.
pub fn expand_path(input: &str, home: &Path) -> io::Result<PathBuf> {
    let text = input.replace(is_unicode_space, " ");
    native(text.strip_prefix('@').unwrap_or(&text), home)
}

/// The absolute path that a path from the model means in a folder, without `.` and `..`. Pi's `resolveToCwd`.
///
/// Symbolic links are not looked at. A relative `cwd` is one in the process's working directory.
///
/// ```
/// use std::path::Path;
///
/// use pi_tools::path::resolve_to_cwd;
///
/// let path = resolve_to_cwd("@docs/../notes.txt", Path::new("/project"), Path::new("/home/ada")).unwrap();
/// assert_eq!(path, Path::new("/project/notes.txt"));
/// ```
///
/// # Errors
///
/// As [`expand_path`], and when the process's working directory is needed and unknown.
pub fn resolve_to_cwd(input: &str, cwd: &Path, home: &Path) -> io::Result<PathBuf> {
    let cwd = match cwd.to_str() {
        Some(text) => native(text, home)?,
        None => cwd.to_owned(),
    };
    absolute(&cwd.join(expand_path(input, home)?))
}

fn is_unicode_space(letter: char) -> bool {
    matches!(letter, '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}')
}

/// Shell and URL forms as the system has them.
fn native(text: &str, home: &Path) -> io::Result<PathBuf> {
    let text = if cfg!(windows) { drive(text) } else { Cow::Borrowed(text) };
    if text == "~" {
        return Ok(home.to_owned());
    }
    let below = text.strip_prefix("~/").or_else(|| text.strip_prefix(r"~\").filter(|_| cfg!(windows)));
    if let Some(below) = below {
        let mut path = normal(&home.join(below.trim_start_matches('/')));
        if below.ends_with('/') {
            path.push("");
        }
        return Ok(path);
    }
    match text.strip_prefix("file://") {
        Some(url) => url::to_path(url).map(PathBuf::from),
        None => Ok(PathBuf::from(&*text)),
    }
}

/// `C:\x` for `/c/x`, `/mnt/c/x` and `/cygdrive/c/x`: what the shells of Windows print.
fn drive(text: &str) -> Cow<'_, str> {
    let path = ["/mnt/", "/cygdrive/", "/"].iter().find_map(|prefix| {
        let rest = text.strip_prefix(prefix).filter(|_| !text.contains('\\'))?;
        let (letter, below) = rest.split_once('/').unwrap_or((rest, ""));
        let is_drive = letter.len() == 1 && letter.starts_with(|letter: char| letter.is_ascii_alphabetic());
        is_drive.then(|| format!("{}:\\{}", letter.to_ascii_uppercase(), below.replace('/', "\\")))
    });
    path.map_or(Cow::Borrowed(text), Cow::Owned)
}

/// An absolute path without `.` and `..`, by its text alone.
pub(crate) fn absolute(path: &Path) -> io::Result<PathBuf> {
    // Of an empty path, `std` makes an error.
    let path = if path.is_absolute() { path.to_owned() } else { std::env::current_dir()?.join(path) };
    Ok(normal(&path))
}

fn normal(path: &Path) -> PathBuf {
    let mut parts: Vec<Component<'_>> = Vec::new();
    for part in path.components() {
        match (part, parts.last()) {
            (Component::CurDir, _) | (Component::ParentDir, Some(Component::RootDir)) => {}
            (Component::ParentDir, Some(Component::Normal(_))) => _ = parts.pop(),
            _ => parts.push(part),
        }
    }
    parts.into_iter().collect()
}

/// The file that a path leads to, links followed: also one that is not there yet, in a folder or at the end of a link.
pub(crate) fn real(path: &Path) -> io::Result<PathBuf> {
    let error = match fs::canonicalize(path) {
        Err(error) if is_missing(&error) => error,
        known => return known,
    };
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { return Err(error) };
    let parent = real(parent)?;
    match fs::read_link(path) {
        // A circle of links is another error, so this ends.
        Ok(target) => real(&parent.join(target)),
        Err(_) => Ok(parent.join(name)),
    }
}

/// Whether nothing is there: the file is missing, or a folder on the way is.
pub(crate) fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

/// A path that the model wrote: a string for the model, by Pi's rules for the tool.
///
/// ```
/// use pi_tools::prelude::*;
/// use pi_tools::path::replace_file;
///
/// /// Write a text in capitals.
/// #[pi_tool]
/// fn capitals(
///     /// The file to change.
///     #[arg(mutates)]
///     path: ToolPath,
///     cx: &ToolContext,
/// ) -> std::io::Result<String> {
///     let file = path.resolve(cx.cwd())?;
///     replace_file(&file, std::fs::read_to_string(&file)?.to_uppercase())?;
///     Ok(format!("Wrote {path} in capitals."))
/// }
///
/// let folder = std::env::temp_dir();
/// # let folder = folder.join(format!("pi-tools-capitals-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder).unwrap();
/// std::fs::write(folder.join("notes.txt"), "tea").unwrap();
/// let cx = ToolContext::new().with_cwd(&folder);
/// assert_eq!(capitals("@notes.txt".into(), &cx).unwrap(), "Wrote @notes.txt in capitals.");
/// assert_eq!(std::fs::read_to_string(folder.join("notes.txt")).unwrap(), "TEA");
/// # std::fs::remove_dir_all(folder).unwrap();
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ToolPath(String);

impl ToolPath {
    /// The path as the model wrote it, which is how messages name it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The absolute path that it means in this folder, which is the call's [`cwd`](crate::ToolContext::cwd):
    /// [`resolve_to_cwd`] with the user's home.
    ///
    /// # Errors
    ///
    /// As [`resolve_to_cwd`].
    pub fn resolve(&self, cwd: &Path) -> io::Result<PathBuf> {
        // Without a home, `~` is the folder of that name.
        let home = std::env::home_dir().unwrap_or_else(|| PathBuf::from("~"));
        resolve_to_cwd(&self.0, cwd, &home)
    }
}

impl fmt::Display for ToolPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<String> for ToolPath {
    fn from(written: String) -> Self {
        Self(written)
    }
}

impl From<&str> for ToolPath {
    fn from(written: &str) -> Self {
        Self(written.to_owned())
    }
}

impl JsonSchema for ToolPath {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "ToolPath".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        String::json_schema(generator)
    }
}

#[diagnostic::do_not_recommend]
impl FromText for ToolPath {
    const VALUES: &'static [&'static str] = &[];

    fn from_text(text: &'static str) -> Self {
        text.into()
    }
}

impl Length for ToolPath {}

/// What names the files that a call changes: for `#[arg(mutates)]` and
/// [`ToolContext::mutate_file`](crate::ToolContext::mutate_file).
///
/// A [`ToolPath`] and a text are read by Pi's rules; a [`Path`] is taken as it is. An `Option` may name none, a list
/// several.
///
/// ```
/// use std::path::{Path, PathBuf};
///
/// use pi_tools::{FilePaths, ToolPath};
///
/// let cwd = Path::new("/project");
/// let paths = [Some(ToolPath::from("@a")), None].file_paths(cwd).unwrap();
/// assert_eq!(paths, [Path::new("/project/a")]);
/// assert_eq!(PathBuf::from("@a").file_paths(cwd).unwrap(), [Path::new("/project/@a")]);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` names no file",
    label = "not a path",
    note = "`mutates` is for a path from the model: write `ToolPath`, `Option<ToolPath>` or `Vec<ToolPath>`",
    note = "for a file that a call finds out itself, call `cx.mutate_file(path, future)`"
)]
pub trait FilePaths {
    /// The files, as absolute paths; relative ones are meant from `cwd`.
    ///
    /// # Errors
    ///
    /// As [`resolve_to_cwd`].
    fn file_paths(&self, cwd: &Path) -> io::Result<Vec<PathBuf>>;
}

impl FilePaths for ToolPath {
    fn file_paths(&self, cwd: &Path) -> io::Result<Vec<PathBuf>> {
        Ok(vec![self.resolve(cwd)?])
    }
}

impl FilePaths for str {
    fn file_paths(&self, cwd: &Path) -> io::Result<Vec<PathBuf>> {
        ToolPath::from(self).file_paths(cwd)
    }
}

impl FilePaths for String {
    fn file_paths(&self, cwd: &Path) -> io::Result<Vec<PathBuf>> {
        self.as_str().file_paths(cwd)
    }
}

impl FilePaths for Path {
    fn file_paths(&self, cwd: &Path) -> io::Result<Vec<PathBuf>> {
        Ok(vec![absolute(&cwd.join(self))?])
    }
}

impl FilePaths for PathBuf {
    fn file_paths(&self, cwd: &Path) -> io::Result<Vec<PathBuf>> {
        self.as_path().file_paths(cwd)
    }
}

impl<T: FilePaths> FilePaths for [T] {
    fn file_paths(&self, cwd: &Path) -> io::Result<Vec<PathBuf>> {
        let paths: io::Result<Vec<_>> = self.iter().map(|item| item.file_paths(cwd)).collect();
        Ok(paths?.concat())
    }
}

impl<T: FilePaths, const N: usize> FilePaths for [T; N] {
    fn file_paths(&self, cwd: &Path) -> io::Result<Vec<PathBuf>> {
        self.as_slice().file_paths(cwd)
    }
}

impl<T: FilePaths> FilePaths for Vec<T> {
    fn file_paths(&self, cwd: &Path) -> io::Result<Vec<PathBuf>> {
        self.as_slice().file_paths(cwd)
    }
}

impl<T: FilePaths> FilePaths for Option<T> {
    fn file_paths(&self, cwd: &Path) -> io::Result<Vec<PathBuf>> {
        self.as_slice().file_paths(cwd)
    }
}

impl<T: FilePaths + ?Sized> FilePaths for &T {
    fn file_paths(&self, cwd: &Path) -> io::Result<Vec<PathBuf>> {
        (**self).file_paths(cwd)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_below_home_is_normal_but_for_a_slash_at_the_end() {
        let expand = |input| expand_path(input, Path::new("/home/u")).unwrap().to_str().unwrap().to_owned();
        for (input, path) in [
            ("~/", "/home/u"),
            ("~//", "/home/u/"),
            ("~//x", "/home/u/x"),
            ("~/../x", "/home/x"),
            ("~/a/./b/", "/home/u/a/b/"),
            ("@~/x", "/home/u/x"),
            ("@@~", "@~"),
            ("a/./b/", "a/./b/"),
        ] {
            assert_eq!(expand(input), path, "{input}");
        }
    }

    #[test]
    fn drives_of_the_shells_of_windows() {
        for (text, path) in [
            ("/c/x/y", r"C:\x\y"),
            ("/mnt/d", r"D:\"),
            ("/cygdrive/e/f", r"E:\f"),
            ("/cd/x", "/cd/x"),
            ("//c/x", "//c/x"),
            ("c/x", "c/x"),
        ] {
            assert_eq!(drive(text), path, "{text}");
        }
    }
}
