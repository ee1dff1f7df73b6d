//! Real clients of the Model Context Protocol, installed below the target directory, and what they are run against.

use std::env;
use std::fs;
use std::io::{BufRead as _, BufReader, Read};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::{install, pi, workspace};

const PACKAGE: &str = include_str!("../mcp/package.json");
const PACKAGE_LOCK: &str = include_str!("../mcp/package-lock.json");

/// Longer than any client needs on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(120);

/// What makes tests fail in place of being skipped, where the clients cannot be installed.
const REQUIRED: &str = "PI_TOOLS_REQUIRE_MCP";

/// A client of its own, which is a program of this name once the packages are installed: `inspector`, `conformance`.
/// `None` after a notice if it cannot be installed.
///
/// # Panics
///
/// In place of the notice if `PI_TOOLS_REQUIRE_MCP` is `1`.
pub fn node_program(name: &str) -> Option<Command> {
    Some(node(&node_packages()?.join("node_modules/.bin").join(name)))
}

/// A client that is a script of `tests/mcp`, for Node or for Python. `None` after a notice if what it needs cannot be installed.
///
/// # Panics
///
/// In place of the notice if `PI_TOOLS_REQUIRE_MCP` is `1`.
pub fn script(name: &str) -> Option<Command> {
    let script = workspace().join("tests/mcp").join(name);
    if is_for_node(&script) {
        // Node looks for packages beside the script.
        return Some(node(&node_packages()?.join(name)));
    }
    let mut command = Command::new(python_packages(if name == "sdk_v1.py" { "v1" } else { "v2" })?);
    // No compiled modules beside the sources.
    command.arg("-B").arg(script);
    Some(command)
}

/// Pi's Node: the clients, too, need a new one.
fn node(script: &Path) -> Command {
    let programs = pi::install().expect("the clients are installed only beside Pi");
    let mut command = Command::new(programs.join("node"));
    command.arg(script);
    command
}

fn node_packages() -> Option<&'static Path> {
    static PACKAGES: OnceLock<Option<PathBuf>> = OnceLock::new();
    let packages = PACKAGES.get_or_init(|| {
        let installed = pi::install().ok_or("Pi, whose Node they run on, is missing".to_owned()).and_then(|_| {
            let program = "node_modules/.bin/conformance";
            install::once("mcp", PACKAGE_LOCK, program, |directory| {
                // The Inspector would fetch what only its window needs.
                install::npm(directory, PACKAGE, PACKAGE_LOCK, &["--ignore-scripts"])
            })
        });
        let copied = installed.and_then(|directory| copy_scripts(&directory).map(|()| directory));
        install::or_notice("MCP clients on Node", REQUIRED, copied)
    });
    packages.as_deref()
}

fn is_for_node(script: &Path) -> bool {
    script.extension().is_some_and(|extension| extension == "mjs")
}

fn copy_scripts(directory: &Path) -> Result<(), String> {
    let scripts = fs::read_dir(workspace().join("tests/mcp")).map_err(|error| error.to_string())?;
    for script in scripts.flatten().map(|entry| entry.path()) {
        if let Some(name) = script.file_name()
            && is_for_node(&script)
        {
            fs::copy(&script, directory.join(name)).map_err(|error| format!("{}: {error}", script.display()))?;
        }
    }
    Ok(())
}

/// A Python that has these packages. Each version of the SDK has one of its own, as they exclude each other.
fn python_packages(versions: &str) -> Option<&'static Path> {
    static V1: OnceLock<Option<PathBuf>> = OnceLock::new();
    static V2: OnceLock<Option<PathBuf>> = OnceLock::new();
    let packages = if versions == "v1" { &V1 } else { &V2 };
    let python = packages.get_or_init(|| {
        let requirements = workspace().join(format!("tests/mcp/requirements-{versions}.txt"));
        let installed = fs::read_to_string(&requirements).map_err(|error| error.to_string()).and_then(|list| {
            install::once(&format!("mcp/python-{versions}"), &list, "venv/bin/python", |directory| {
                install::run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(directory.join("venv")))?;
                // What is not listed with its hash is not installed, and nothing is built.
                let options = ["install", "--quiet", "--disable-pip-version-check", "--require-hashes"];
                let mut pip = Command::new(directory.join("venv/bin/pip"));
                pip.args(options).args(["--only-binary", ":all:", "--requirement"]).arg(&requirements);
                install::run(&mut pip).map(drop)
            })
        });
        let python = installed.map(|directory| directory.join("venv/bin/python"));
        install::or_notice(&format!("MCP clients in Python ({versions})"), REQUIRED, python)
    });
    python.as_deref()
}

/// How a client reaches a bundle.
#[derive(Debug)]
pub enum Server {
    /// It starts the bundle by itself.
    Stdio(PathBuf),
    /// The bundle runs already.
    Http(Http),
}

impl Server {
    /// What a script is told of it.
    pub fn told(&self) -> Value {
        match self {
            Self::Stdio(bundle) => json!({ "command": bundle, "args": ["mcp"] }),
            Self::Http(http) => json!({ "url": http.url, "token": http.token }),
        }
    }
}

/// A bundle that serves over HTTP until it is dropped.
#[derive(Debug)]
pub struct Http {
    process: Child,
    /// Where it is to be found.
    pub url: String,
    /// What its clients must know. It is empty for one that takes everybody.
    pub token: String,
}

impl Http {
    /// A bundle that takes who knows its token; or everybody, if the token is empty.
    ///
    /// # Panics
    ///
    /// If the bundle does not tell where it is to be found.
    pub fn start(bundle: &str, token: &str) -> Self {
        let mut command = Command::new(bundle);
        command.args(["mcp", "--http", "127.0.0.1:0"]).env("PI_TOOLS_MCP_TOKEN", token);
        if token.is_empty() {
            command.arg("--no-auth");
        }
        let mut process = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it starts");
        let mut lines = BufReader::new(process.stderr.take().expect("a pipe")).lines().map_while(Result::ok);
        let url = lines.find(|line| line.starts_with("http://")).expect("the bundle tells its URL");
        // It must be able to write on.
        thread::spawn(move || lines.for_each(drop));
        Self { process, url, token: token.to_owned() }
    }
}

impl Drop for Http {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// What a client has left behind.
#[derive(Debug)]
pub struct Ended {
    /// Nothing if it had to be ended.
    pub status: Option<ExitStatus>,
    /// What it has written.
    pub stdout: String,
    /// What it has told beside it.
    pub stderr: String,
}

/// Runs a client to its end, and ends it with all that it has started when it takes too long.
///
/// # Panics
///
/// If it cannot be started.
pub fn run(command: &mut Command) -> Ended {
    for (name, _) in env::vars_os().filter(|(name, _)| name.as_encoded_bytes().starts_with(b"PI_")) {
        command.env_remove(name);
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let mut child = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let (stdout, stderr) = (read(child.stdout.take()), read(child.stderr.take()));
    let deadline = Instant::now() + TIMEOUT;
    let status = loop {
        match child.try_wait().expect("it is a child") {
            None if Instant::now() < deadline => thread::sleep(Duration::from_millis(10)),
            status => break status,
        }
    };
    // What it has left behind holds the pipes open.
    pi::kill_group(child.id());
    let _ = child.wait();
    let text = |reader: thread::JoinHandle<String>| reader.join().expect("reading does not panic");
    Ended { status, stdout: text(stdout), stderr: text(stderr) }
}

fn read(stream: Option<impl Read + Send + 'static>) -> thread::JoinHandle<String> {
    let mut stream = stream.expect("a pipe");
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    })
}
