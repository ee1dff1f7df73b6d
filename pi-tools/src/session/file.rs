//! Pi's session files: one JSON object a line, of which none is ever changed.

use std::error::Error;
use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::line::{self, Problem};
use super::tree::Tree;
use super::{Session, SessionInfo};
use crate::output::{ToolOutput, plain};

/// A session in a file, in Pi's format: what `pi --session FILE` opens, and `call --session FILE` of a bundle.
///
/// Entries form a tree; the *leaf* is where the next one goes, and a *branch* leads from the root to it. A file that is
/// opened has its last line as the leaf. Lines are only ever added, each by a single write to the end.
///
/// The file is locked as long as this lives, so another `SessionFile` waits for it, in other programs, too. Pi does not;
/// what it appends in the meantime is noticed before the next write.
///
/// # Example
///
/// ```
/// use pi_tools::SessionFile;
/// use serde_json::json;
///
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("session.jsonl");
/// let mut file = SessionFile::open(&path, ".").unwrap();
/// file.append_message(json!({"role": "user", "content": "hi"})).unwrap();
/// file.append_custom("search", Some(json!({"query": "tea"}))).unwrap();
/// drop(file);
///
/// let file = SessionFile::open(&path, ".").unwrap();
/// assert_eq!(file.branch().len(), 2);
/// assert_eq!(file.session(&[]).entries("search"), [json!({"query": "tea"})]);
/// ```
#[derive(Debug)]
pub struct SessionFile {
    path: PathBuf,
    /// Open and locked; `None` until there is something to write.
    file: Option<File>,
    /// How long the file was, in bytes, when it was last read or written.
    length: u64,
    ends_within_line: bool,
    header: Value,
    tree: Tree,
    /// How many of the entries the file has.
    written: usize,
}

impl SessionFile {
    /// Opens a session, or begins a new one if there is no such file; waits while another holds it.
    ///
    /// As in Pi, a new file is not written before its first message of the user or the model, and then with all entries
    /// that came before. `cwd` is the working directory that a new session is for.
    ///
    /// # Errors
    ///
    /// When the file cannot be read and written, or is no session: with the number of the first line that is wrong. The
    /// file stays as it is.
    pub fn open(path: impl Into<PathBuf>, cwd: impl AsRef<Path>) -> Result<Self, SessionError> {
        let mut this = Self {
            path: path.into(),
            file: None,
            length: 0,
            ends_within_line: false,
            header: line::new_header(cwd.as_ref()),
            tree: Tree::default(),
            written: 0,
        };
        match OpenOptions::new().read(true).append(true).open(&this.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(this),
            opened => {
                this.hold(opened)?;
                this.read()?;
                Ok(this)
            }
        }
    }

    /// The first line: the session's id, its working directory, when it began.
    #[must_use]
    pub fn header(&self) -> &Value {
        &self.header
    }

    /// All entries, of all branches, in the order of the file.
    #[must_use]
    pub fn entries(&self) -> &[Value] {
        self.tree.entries()
    }

    /// The id of the entry behind which the next one goes; `None` in front of the first.
    #[must_use]
    pub fn leaf(&self) -> Option<&str> {
        self.tree.leaf()
    }

    /// The entries from the root to the leaf. What Pi has compacted or edited for the model is among them, unchanged.
    #[must_use]
    pub fn branch(&self) -> Vec<&Value> {
        self.tree.branch()
    }

    /// The session that the branch leaves, with the states of these keys: see [`Session::from_branch`].
    ///
    /// What calls change in it goes into the file with [`append_result`](Self::append_result).
    #[must_use]
    pub fn session(&self, keys: &[&str]) -> Session {
        let session = Session::from_branch(self.branch(), keys);
        let named = self.entries().iter().rev().find(|entry| entry["type"] == "session_info");
        session.set_info(SessionInfo {
            id: self.header["id"].as_str().map(str::to_owned),
            file: Some(self.path.clone()),
            name: named.and_then(|entry| entry["name"].as_str()).map(str::to_owned),
        });
        session
    }

    /// Moves the leaf to an earlier entry, or in front of all. Only an entry that is appended there makes it last: the file
    /// does not know of it.
    ///
    /// # Errors
    ///
    /// When no entry has this id.
    pub fn move_to(&mut self, id: Option<&str>) -> Result<(), SessionError> {
        if self.tree.move_to(id) {
            return Ok(());
        }
        Err(self.error(format!("no entry `{}`", id.unwrap_or_default())))
    }

    /// Appends a message behind the leaf, and moves the leaf to it; its id.
    ///
    /// # Errors
    ///
    /// When it cannot be written. The leaf stays where it is.
    pub fn append_message(&mut self, message: Value) -> Result<String, SessionError> {
        self.append("message", Map::from_iter([("message".to_owned(), message)]))
    }

    /// Appends the result of a call, as Pi's `toolResult` message.
    ///
    /// The states of a success are in its details, from where every later restore has them.
    ///
    /// # Errors
    ///
    /// As [`append_message`](Self::append_message).
    pub fn append_result(&mut self, call_id: &str, tool: &str, output: &ToolOutput) -> Result<String, SessionError> {
        let mut message = json!({
            "role": "toolResult",
            "toolCallId": call_id,
            "toolName": tool,
            "content": plain(output.content()),
            "isError": output.is_error(),
            "timestamp": line::milliseconds(),
        });
        let of_error = output.is_error().then(|| json!({}));
        if let Some(details) = output.details().cloned().or(of_error) {
            message["details"] = details;
        }
        if let Some(usage) = output.usage() {
            message["usage"] = usage.clone();
        }
        self.append_message(message)
    }

    /// Appends data that the model does not see, as Pi's `appendEntry`. See
    /// [`ToolContext::append_entry`](crate::ToolContext::append_entry).
    ///
    /// # Errors
    ///
    /// As [`append_message`](Self::append_message).
    pub fn append_custom(&mut self, custom_type: &str, data: Option<Value>) -> Result<String, SessionError> {
        let data = data.map(|data| ("data".to_owned(), data));
        self.append("custom", [("customType".to_owned(), custom_type.into())].into_iter().chain(data).collect())
    }

    /// Appends an entry of any kind with its own fields; id, parent and time are added.
    ///
    /// # Errors
    ///
    /// As [`append_message`](Self::append_message).
    pub fn append(&mut self, kind: &str, fields: Map<String, Value>) -> Result<String, SessionError> {
        let begins = kind == "message"
            && fields["message"].get("role").is_some_and(|role| role == "user" || role == "assistant");
        let writes = self.file.is_some() || begins;
        if writes {
            self.refresh()?;
        }
        let (before, leaf) = (self.tree.entries().len(), self.leaf().map(str::to_owned));
        let id = self.tree.new_id();
        let mut entry = json!({ "type": kind, "id": id, "parentId": leaf, "timestamp": line::timestamp() });
        for (field, value) in fields {
            if entry.get(&field).is_none() {
                entry[field] = value;
            }
        }
        if is_deeper(&entry, line::DEEPEST) {
            let problem =
                format!("what is to be written is nested deeper than {}, and could not be read again", line::DEEPEST);
            return Err(self.error(problem));
        }
        self.tree.push(entry);
        if writes && let Err(error) = self.write() {
            // An entry that is in no file must not become a parent.
            self.tree.split_off(before);
            self.tree.move_to(leaf.as_deref());
            return Err(self.error(error));
        }
        Ok(id)
    }

    fn hold(&mut self, opened: io::Result<File>) -> Result<(), SessionError> {
        let locked = opened.and_then(|file| match file.lock() {
            // Some file systems have no locks.
            Err(error) if error.kind() != io::ErrorKind::Unsupported => Err(error),
            _ => Ok(file),
        });
        self.file = Some(locked.map_err(|error| self.error(error))?);
        Ok(())
    }

    /// Opens the file if there was none, and takes over what others have appended since.
    fn refresh(&mut self) -> Result<(), SessionError> {
        if self.file.is_none() {
            let opened = OpenOptions::new().read(true).append(true).create(true).open(&self.path);
            self.hold(opened)?;
        }
        let length = self.file.as_ref().map(File::metadata).transpose().map_err(|error| self.error(error))?;
        if length.is_some_and(|metadata| metadata.len() != self.length) { self.read() } else { Ok(()) }
    }

    /// Reads all of the file. Entries that it does not have yet come behind.
    fn read(&mut self) -> Result<(), SessionError> {
        let mut content = Vec::new();
        if let Some(file) = &mut self.file {
            let read = file.seek(SeekFrom::Start(0)).and_then(|_| file.read_to_end(&mut content));
            read.map_err(|error| self.error(error))?;
        }
        let (header, entries) = line::parse(&content).map_err(|(line, problem)| self.bad_line((line, problem)))?;
        let moved = (!self.tree.is_at_end()).then(|| self.leaf().map(str::to_owned));
        let unwritten = self.tree.split_off(self.written);
        self.tree = Tree::default();
        self.written = entries.len();
        for entry in entries {
            self.tree.push(entry);
        }
        for mut entry in unwritten {
            if entry["parentId"].is_null() {
                entry["parentId"] = self.leaf().into();
            }
            self.tree.push(entry);
        }
        if let Some(leaf) = moved {
            self.tree.move_to(leaf.as_deref());
        }
        self.header = header.unwrap_or_else(|| self.header.take());
        self.length = content.len() as u64;
        self.ends_within_line = content.last().is_some_and(|last| *last != b'\n');
        Ok(())
    }

    /// Writes the entries that the file does not have.
    fn write(&mut self) -> io::Result<()> {
        let header = (self.length == 0).then_some(&self.header);
        let mut text = if self.ends_within_line { "\n".to_owned() } else { String::new() };
        for line in header.into_iter().chain(&self.tree.entries()[self.written..]) {
            text.push_str(&line.to_string());
            text.push('\n');
        }
        if let Some(file) = &mut self.file {
            file.write_all(text.as_bytes())?;
        }
        self.length += text.len() as u64;
        self.ends_within_line = false;
        self.written = self.tree.entries().len();
        Ok(())
    }

    fn error(&self, problem: impl fmt::Display) -> SessionError {
        SessionError { path: self.path.clone(), line: None, problem: problem.to_string() }
    }

    fn bad_line(&self, (line, problem): Problem) -> SessionError {
        SessionError { line: Some(line), ..self.error(problem) }
    }
}

fn is_deeper(value: &Value, levels: usize) -> bool {
    let in_it = |inner| is_deeper(inner, levels.saturating_sub(1));
    match value {
        Value::Array(items) => levels == 0 || items.iter().any(in_it),
        Value::Object(map) => levels == 0 || map.values().any(in_it),
        _ => false,
    }
}

/// Why a session file cannot be read or written.
#[derive(Debug)]
pub struct SessionError {
    path: PathBuf,
    line: Option<usize>,
    problem: String,
}

impl SessionError {
    /// The line that is wrong, counted from 1, when it is a line.
    #[must_use]
    pub fn line(&self) -> Option<usize> {
        self.line
    }
}

impl fmt::Display for SessionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        if let Some(line) = self.line {
            write!(f, ", line {line}")?;
        }
        write!(f, ": {}", self.problem)
    }
}

impl Error for SessionError {}
