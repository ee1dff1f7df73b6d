//! `pi doctor`: whether everything is there for these tools to work in Pi, and what to do where not.

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs, thread};

use serde::Serialize;

use super::extension::{VERSION, Written};
use super::install::{self, built_by_cargo};
use super::launch::{INSTALL_PI, PI};
use crate::builtin;
use crate::protocol::PROTOCOL_VERSION;
use crate::toolbox::Toolbox;

/// The Pi that this was tested with, and the oldest Node that it takes.
const TESTED_PI: [u32; 3] = [1, 6, 0];
const OLDEST_NODE: [u32; 3] = [22, 19, 0];
/// A start of Pi takes about a second. More than this beside it is felt.
const SLOW_MANIFEST: Duration = Duration::from_millis(500);
/// After this Pi's extension gives up, and so does the doctor.
const PATIENCE: Duration = Duration::from_secs(10);

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum State {
    Ok,
    /// Good to know.
    Note,
    /// It does not work like this.
    Mend,
}

/// What was found out about one thing. The text says what to do.
#[derive(Debug, Serialize)]
pub(crate) struct Finding {
    pub(crate) about: &'static str,
    pub(crate) state: State,
    pub(crate) text: String,
}

impl Finding {
    fn new(about: &'static str, state: State, text: impl Into<String>) -> Self {
        Self { about, state, text: text.into() }
    }
}

/// Looks at everything.
pub(crate) fn examine(name: &str, toolbox: &Toolbox) -> Vec<Finding> {
    let mut findings = pi();
    findings.extend(extensions(name));
    findings.push(manifest(name));
    findings.push(names(toolbox));
    findings
}

fn pi() -> Vec<Finding> {
    let pi = match version_of(Command::new(PI).env("PI_OFFLINE", "1")) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Finding::new("pi", State::Mend, format!("`pi` is not on the PATH: {INSTALL_PI}"))
        }
        Err(error) => Finding::new("pi", State::Mend, format!("`pi --version` fails: {error}")),
        Ok((text, None)) => {
            let text =
                format!("the `pi` on the PATH is not the Pi coding agent, its version is {text:?}: {INSTALL_PI}");
            Finding::new("pi", State::Mend, text)
        }
        Ok((text, Some(version))) => match version.cmp(&TESTED_PI) {
            std::cmp::Ordering::Equal => Finding::new("pi", State::Ok, text),
            other => {
                let tested = dotted(TESTED_PI);
                let text = if other.is_lt() {
                    format!("{text} is older than {tested}, with which this was tested: `pi update` if something fails")
                } else {
                    format!(
                        "{text} is newer than {tested}, with which this was tested: look for a newer pi-tools if something fails"
                    )
                };
                Finding::new("pi", State::Note, text)
            }
        },
    };
    let oldest = dotted(OLDEST_NODE);
    let node = match version_of(&mut Command::new("node")) {
        Ok((text, Some(version))) if version >= OLDEST_NODE => Finding::new("node", State::Ok, text),
        Ok((text, _)) => {
            let text = format!(
                "the `node` on the PATH is {text}, and Pi needs {oldest}: install a newer one, or put it first"
            );
            Finding::new("node", State::Mend, text)
        }
        // Pi exists as one executable, too.
        Err(_) if pi.state != State::Mend => {
            Finding::new("node", State::Note, "there is none on the PATH, and Pi starts without")
        }
        Err(error) => Finding::new(
            "node",
            State::Mend,
            format!("`node --version` fails: {error}; install Node {oldest} or later"),
        ),
    };
    vec![pi, node]
}

/// What a program says of its version: `1.6.0`, `v22.19.0`.
fn version_of(command: &mut Command) -> io::Result<(String, Option<[u32; 3]>)> {
    let text = output_of(command.arg("--version"))?;
    let text = text.lines().next().unwrap_or_default().trim().to_owned();
    let mut numbers = text.trim_start_matches('v').split(['.', '-']).map_while(|number| number.parse().ok());
    let version = (|| Some([numbers.next()?, numbers.next()?, numbers.next()?]))();
    Ok((text, version))
}

fn dotted([major, minor, patch]: [u32; 3]) -> String {
    format!("{major}.{minor}.{patch}")
}

fn extensions(name: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut found = Vec::new();
    for local in [false, true] {
        match install::folder(local) {
            Ok(folder) => {
                for path in files_in(&folder) {
                    match Written::read(&path) {
                        Ok(Some(written)) if written.name == name => found.push((written, local)),
                        Err(error) => {
                            let text = format!("{} cannot be read, by Pi neither: {error}", path.display());
                            findings.push(Finding::new("extension", State::Mend, text));
                        }
                        Ok(_) => {}
                    }
                }
            }
            Err(error) => findings.push(Finding::new("extension", State::Mend, error.to_string())),
        }
    }
    let packages =
        install::agent_folder().map(|folder| folder.join("npm")).into_iter().chain([PathBuf::from(".pi/npm")]);
    for path in packages.flat_map(|folder| packages_in(&folder.join("node_modules"))) {
        let local = path.starts_with(".pi");
        if let Ok(Some(written)) = Written::read(&path.join("extension.ts"))
            && written.name == name
        {
            found.push((written, local));
        }
    }
    if found.is_empty() {
        let text = format!("not installed: `{name} pi install`, or start Pi with `{name} pi run`");
        findings.push(Finding::new("extension", State::Note, text));
    }
    findings.extend(found.iter().map(|(written, local)| extension(name, written, *local)));
    if let [(first, _), _, ..] = &found[..] {
        let paths: Vec<String> = found.iter().map(|(written, _)| written.path.display().to_string()).collect();
        let text = format!(
            "{name} is installed {} times, and Pi takes the tools of one: keep {}, for example, and remove the rest of {}",
            paths.len(),
            first.path.display(),
            paths.join(", ")
        );
        findings.push(Finding::new("conflicts", State::Mend, text));
    }
    findings
}

fn extension(name: &str, written: &Written, local: bool) -> Finding {
    let path = written.path.display();
    let again = match (&written.executable, local) {
        (None, _) => "update its npm package with `pi update`".to_owned(),
        (Some(_), false) => format!("run `{name} pi install`"),
        (Some(_), true) => format!("run `{name} pi install --local`"),
    };
    if written.protocol != PROTOCOL_VERSION {
        let text = format!(
            "{path} speaks protocol version {}, and this executable {PROTOCOL_VERSION}: {again}",
            written.protocol
        );
        return Finding::new("extension", State::Mend, text);
    }
    let mut notes = Vec::new();
    let runs = match &written.executable {
        None => "the executable of its npm package".to_owned(),
        Some(executable) if !executable.exists() => {
            let text = format!("{path} runs {}, which is not there any more: {again}", executable.display());
            return Finding::new("extension", State::Mend, text);
        }
        Some(executable) => {
            if env::current_exe().is_ok_and(|running| running != *executable) {
                notes.push(format!("that is another than this executable: if this one is meant, {again}"));
            }
            notes.extend(built_by_cargo(executable));
            executable.display().to_string()
        }
    };
    if written.is_changed {
        notes.push("the file was edited since it was written".to_owned());
    }
    if written.version != VERSION {
        notes.push(format!(
            "it was written by pi-tools {}, and this executable has {VERSION}: that works; to renew it, {again}",
            written.version
        ));
    }
    let state = if notes.is_empty() { State::Ok } else { State::Note };
    if local {
        notes.push("Pi loads it only if this folder is trusted".to_owned());
    }
    let notes: String = notes.iter().map(|note| format!("; {note}")).collect();
    Finding::new("extension", state, format!("{path} runs {runs}{notes}"))
}

/// The files that Pi takes for extensions.
fn files_in(folder: &Path) -> Vec<PathBuf> {
    let is_extension =
        |path: &PathBuf| path.extension().is_some_and(|end| end == "ts" || end == "js") && !path.is_dir();
    let mut files: Vec<PathBuf> = paths_in(folder).filter(is_extension).collect();
    files.sort();
    files
}

fn packages_in(folder: &Path) -> Vec<PathBuf> {
    let is_scope = |path: &Path| path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"@"));
    let (scopes, mut packages): (Vec<PathBuf>, Vec<PathBuf>) = paths_in(folder).partition(|path| is_scope(path));
    packages.extend(scopes.iter().flat_map(|scope| paths_in(scope)));
    packages.sort();
    packages
}

/// Nothing where there is no folder.
fn paths_in(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path())
}

/// Does what the extension does at the start of Pi, which waits for it.
fn manifest(name: &str) -> Finding {
    let start = Instant::now();
    let output = env::current_exe().and_then(|executable| output_of(Command::new(executable).arg("manifest")));
    let took = start.elapsed();
    match output {
        Err(error) => Finding::new("manifest", State::Mend, format!("`{name} manifest` fails: {error}")),
        Ok(_) if took > SLOW_MANIFEST => {
            let text =
                format!("{} ms, for which every start of Pi waits: what takes so long in `main`?", took.as_millis());
            Finding::new("manifest", State::Note, text)
        }
        Ok(text) => Finding::new("manifest", State::Ok, format!("{} bytes in {} ms", text.len(), took.as_millis())),
    }
}

fn names(toolbox: &Toolbox) -> Finding {
    let specs = toolbox.tools().map(|tool| tool.spec());
    let taken: Vec<String> = specs
        .filter(|spec| spec.overrides.is_none() && builtin::parameters(spec.name).is_some())
        .map(|spec| format!("`{0}` (rename it, or say `overrides = \"{0}\"`)", spec.name))
        .collect();
    if taken.is_empty() {
        return Finding::new("names", State::Ok, "no tool has the name of one of Pi's own");
    }
    Finding::new(
        "names",
        State::Mend,
        format!("Pi has tools of these names and leaves these out: {}", taken.join(", ")),
    )
}

/// What a program prints; an error of its own has what it said.
fn output_of(command: &mut Command) -> io::Result<String> {
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let read = |stream: Option<Box<dyn io::Read + Send>>| {
        thread::spawn(move || {
            let mut bytes = Vec::new();
            stream.map(|mut stream| stream.read_to_end(&mut bytes));
            String::from_utf8_lossy(&bytes).into_owned()
        })
    };
    let stdout = read(child.stdout.take().map(|stream| Box::new(stream) as _));
    let stderr = read(child.stderr.take().map(|stream| Box::new(stream) as _));
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if start.elapsed() > PATIENCE {
            child.kill()?;
            return Err(io::Error::other(format!("no end after {} s", PATIENCE.as_secs())));
        }
        thread::sleep(Duration::from_millis(1));
    };
    let text = |thread: thread::JoinHandle<String>| thread.join().unwrap_or_default();
    let (stdout, stderr) = (text(stdout), text(stderr));
    if status.success() {
        return Ok(stdout);
    }
    let said = stderr.lines().map(str::trim).find(|line| line.contains("rror") || line.contains(": "));
    Err(io::Error::other(format!("{status}{}", said.map_or_else(String::new, |line| format!(", {line}")))))
}
