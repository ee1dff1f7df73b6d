//! Child processes of a call: `cx.command(..)`.

mod capture;
mod supervise;

use std::ffi::{OsStr, OsString};
use std::future::poll_fn;
use std::io;
use std::path::{Path, PathBuf};

use std::pin::pin;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::oneshot;

use crate::builtin::Truncation;
use crate::children::Group;
use crate::context::{ToolContext, block_on};
use crate::error::ToolError;
use crate::output::{IntoToolOutput, ToolOutput};
use crate::truncate::format_size;

use capture::Capture;
use supervise::{End, Supervisor};

/// How many bytes of an output are kept, if nobody says otherwise: as many as Pi's `bash` gives a program.
const MAX_BYTES: usize = 1 << 20;

impl ToolContext {
    /// A child process that ends with the call: see [`Command`].
    ///
    /// The program is looked for on the `PATH`; a path with a folder in it is one from [`cwd`](Self::cwd), where the
    /// process runs, too.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let program = program.as_ref();
        let path = Path::new(program);
        // Where else such a path would begin depends on the system.
        let found = if path.components().nth(1).is_some() { self.cwd().join(path).into() } else { program.to_owned() };
        Command {
            cx: self.clone(),
            program: program.to_owned(),
            process: std::process::Command::new(found),
            folder: self.cwd().to_owned(),
            input: None,
            timeout: None,
            max_bytes: MAX_BYTES,
            is_streamed: false,
        }
    }
}

/// A child process of a call, before it runs. From [`ToolContext::command`].
///
/// It is killed, and all that it has started, when the call ends in whatever way: when it is cancelled, takes too long or
/// panics, when its future or that of [`output`](Self::output) is dropped, and when the host is gone. What a child that
/// ended well has left in the background goes 100 ms later. On Unix that is its group of processes, which only a process
/// that makes a session or a process group of its own leaves (`setsid`); on Windows it is the child alone.
///
/// Its standard input is empty, because that of the executable belongs to the host. It has the environment of the
/// executable.
///
/// # Example
///
/// ```
/// use pi_tools::prelude::*;
///
/// /// Run a command in the shell.
/// #[pi_tool(truncate = "tail")]
/// async fn shell(
///     /// The command.
///     command: String,
///     cx: &ToolContext,
/// ) -> Result<String, ToolError> {
///     cx.command("sh").args(["-c", &command]).stream().output().await?.into_result()
/// }
///
/// # #[cfg(unix)]
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let cx = ToolContext::new();
/// assert_eq!(shell("echo tea".to_owned(), &cx).await.unwrap(), "tea\n");
/// let error = shell("echo no >&2; exit 3".to_owned(), &cx).await.unwrap_err();
/// assert_eq!(error.message(), "no\n\nCommand exited with code 3");
/// # }
/// # #[cfg(not(unix))]
/// # fn main() {}
/// ```
#[derive(Debug)]
#[must_use = "it runs with `output`"]
pub struct Command {
    cx: ToolContext,
    program: OsString,
    process: std::process::Command,
    folder: PathBuf,
    input: Option<Vec<u8>>,
    timeout: Option<Duration>,
    max_bytes: usize,
    is_streamed: bool,
}

impl Command {
    /// Adds an argument. No shell reads it.
    pub fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.process.arg(arg);
        self
    }

    /// Adds arguments.
    pub fn args(mut self, args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Self {
        self.process.args(args);
        self
    }

    /// Sets a variable of its environment.
    pub fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.process.env(name, value);
        self
    }

    /// Removes a variable from its environment.
    pub fn env_remove(mut self, name: impl AsRef<OsStr>) -> Self {
        self.process.env_remove(name);
        self
    }

    /// Sets where it runs; a relative path is one from the call's folder.
    pub fn current_dir(mut self, folder: impl AsRef<Path>) -> Self {
        self.folder = self.cx.cwd().join(folder);
        self
    }

    /// Sets what it reads from its standard input.
    pub fn stdin(mut self, input: impl Into<Vec<u8>>) -> Self {
        self.input = Some(input.into());
        self
    }

    /// Sets how long it may run, beside the `timeout` of the tool. It begins with the process.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sets how many bytes are kept of the end of each output, and of both together: 1 MiB by default. What is longer is in
    /// a file of the session: see [`CommandOutput::full_output`].
    pub fn max_bytes(mut self, max_bytes: usize) -> Self {
        self.max_bytes = max_bytes;
        self
    }

    /// Shows the output as it comes: its last 2000 lines or 50 KB, ten times a second at most.
    pub fn stream(mut self) -> Self {
        self.is_streamed = true;
        self
    }

    /// Runs it to its end, without blocking the thread.
    ///
    /// It begins with the first poll. It needs no runtime: what must block, does so on threads of its own.
    ///
    /// # Errors
    ///
    /// When it cannot be started; when the call is cancelled, or is over already; when it takes longer than its
    /// [`timeout`](Self::timeout). The error has the output so far, in the words of Pi's `bash`. A process that fails by
    /// itself is no error here: see [`CommandOutput::into_result`].
    pub async fn output(self) -> Result<CommandOutput, ToolError> {
        let cx = self.cx.clone();
        let mut running = self.start()?;
        let mut cancelled = pin!(cx.cancelled());
        let mut is_cancelled = false;
        let end = poll_fn(|task| {
            if !is_cancelled && cancelled.as_mut().poll(task).is_ready() {
                is_cancelled = true;
                running.group.kill();
            }
            pin!(&mut running.end).poll(task)
        });
        let end = end.await.map_err(|_| ToolError::new("showing its output panicked"))?;
        running.result(end?)
    }

    /// [`output`](Self::output) for a tool that is a `fn`: blocks until it ends.
    ///
    /// ```
    /// # #[cfg(unix)] {
    /// let cx = pi_tools::ToolContext::new();
    /// let output = cx.command("tr").args(["a-z", "A-Z"]).stdin("tea").output_blocking().unwrap();
    /// assert_eq!((output.stdout(), output.code()), ("TEA", 0));
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`output`](Self::output).
    pub fn output_blocking(self) -> Result<CommandOutput, ToolError> {
        block_on(self.output())
    }

    fn start(self) -> Result<Running, ToolError> {
        let Self { cx, program, mut process, folder, input, timeout, max_bytes, is_streamed } = self;
        let stdin = if input.is_some() { Stdio::piped() } else { Stdio::null() };
        process.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped()).current_dir(&folder);
        let children = cx.children();
        if cx.is_cancelled() || children.as_ref().is_some_and(|children| children.is_over()) {
            return Err(ToolError::new(ABORTED));
        }
        let (group, streams) = Group::spawn(&mut process, children).map_err(|error| {
            // The system does not tell what it has not found.
            let (program, is_name) = (program.display(), Path::new(&program).components().nth(1).is_none());
            ToolError::new(if !folder.is_dir() {
                format!("Working directory does not exist: {}", folder.display())
            } else if is_name && error.kind() == io::ErrorKind::NotFound {
                format!("Failed to run {program}: it is not on the PATH. Install it, or add its folder there.")
            } else {
                format!("Failed to run {program}: {error}")
            })
        })?;
        let (sender, end) = oneshot::channel();
        let running = Running { group: Arc::clone(&group), end, timeout };
        let mut supervisor = Supervisor::new(group, streams, input);
        std::thread::spawn(move || {
            let capture = Capture::new(cx.session(), max_bytes);
            let end = supervisor.run(capture, timeout, is_streamed.then_some(&cx));
            // Who gets the end may be the last that has the session, with which its files go.
            drop(cx);
            // Who does not wait any more has killed it.
            let _ = sender.send(end);
        });
        Ok(running)
    }
}

/// Pi's words.
const ABORTED: &str = "Command aborted";

/// A child that runs. Dropped, it is killed.
struct Running {
    group: Arc<Group>,
    end: oneshot::Receiver<Result<End, ToolError>>,
    timeout: Option<Duration>,
}

impl Running {
    fn result(&self, end: End) -> Result<CommandOutput, ToolError> {
        let End { output, is_late } = end;
        let so_far = |what: &str| {
            let text = output.shown();
            let text = if text.is_empty() { what.to_owned() } else { after(&text, what) };
            ToolError::new(text)
        };
        match self.timeout {
            Some(timeout) if is_late => {
                Err(so_far(&format!("Command timed out after {} seconds", timeout.as_secs_f64())))
            }
            _ if self.group.was_killed() => Err(so_far(ABORTED)),
            _ => Ok(output),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.group.kill();
    }
}

/// A line behind a text, with an empty line between them.
fn after(text: &str, line: &str) -> String {
    format!("{}\n\n{line}", text.strip_suffix('\n').unwrap_or(text))
}

/// What a child process wrote, and how it ended. From [`Command::output`].
///
/// Bytes that are no UTF-8 are U+FFFD. As the result of a tool it is what [`into_result`](Self::into_result) makes of it.
#[derive(Clone, Debug)]
pub struct CommandOutput {
    status: ExitStatus,
    stdout: Truncation,
    stderr: Truncation,
    both: Truncation,
    /// Where all of it is, if it is too long, or why it is not there.
    file: Option<Result<PathBuf, String>>,
}

impl CommandOutput {
    /// The end of its standard output: all of it, unless it [is truncated](Self::is_truncated).
    #[must_use]
    pub fn stdout(&self) -> &str {
        &self.stdout.content
    }

    /// The end of its standard error.
    #[must_use]
    pub fn stderr(&self) -> &str {
        &self.stderr.content
    }

    /// The end of both together, in the order in which they came.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.both.content
    }

    /// Whether both together were more than [`Command::max_bytes`], so that their beginning is only in the file.
    #[must_use]
    pub fn is_truncated(&self) -> bool {
        self.both.truncated
    }

    /// The file with all of both outputs, if they [are truncated](Self::is_truncated) and it could be written. It goes with
    /// the [`Session`](crate::Session).
    #[must_use]
    pub fn full_output(&self) -> Option<&Path> {
        self.file.as_ref()?.as_ref().ok().map(PathBuf::as_path)
    }

    /// How it ended, as the system tells it.
    #[must_use]
    pub fn status(&self) -> ExitStatus {
        self.status
    }

    /// Whether it ended with the code 0.
    #[must_use]
    pub fn success(&self) -> bool {
        self.status.success()
    }

    /// The code that it ended with; of one that a signal ended, 128 and the signal's number, as a shell tells it.
    #[must_use]
    pub fn code(&self) -> i32 {
        let by_signal = || self.signal().map_or(-1, |signal| 128 + signal);
        self.status.code().unwrap_or_else(by_signal)
    }

    /// The signal that ended it; on Windows there is none.
    #[must_use]
    pub fn signal(&self) -> Option<i32> {
        #[cfg(unix)]
        {
            std::os::unix::process::ExitStatusExt::signal(&self.status)
        }
        #[cfg(not(unix))]
        {
            None
        }
    }

    /// Both outputs as Pi's `bash` gives them to the model: `(no output)` for none. What is truncated begins with a notice
    /// that names the file with all of it.
    ///
    /// # Errors
    ///
    /// Of a process that failed: the same, and `Command exited with code ..`.
    pub fn into_result(self) -> Result<String, ToolError> {
        let text = self.shown();
        let text = if text.is_empty() { "(no output)".to_owned() } else { text };
        if self.success() {
            return Ok(text);
        }
        Err(ToolError::new(after(&text, &format!("Command exited with code {}", self.code()))))
    }

    fn shown(&self) -> String {
        let text = self.text();
        let Some(file) = &self.file else { return text.to_owned() };
        let Truncation { total_lines, output_lines, output_bytes, max_bytes, .. } = self.both;
        let shown = if self.both.last_line_partial {
            format!("Showing last {} of line {total_lines}", format_size(output_bytes))
        } else {
            let first = total_lines - output_lines + 1;
            format!("Showing lines {first}-{total_lines} of {total_lines} ({} limit)", format_size(max_bytes))
        };
        match file {
            Ok(path) => format!("[{shown}. Full output: {}]\n\n{text}", path.display()),
            Err(error) => format!("[{shown}. Full output could not be saved: {error}]\n\n{text}"),
        }
    }
}

#[diagnostic::do_not_recommend]
impl IntoToolOutput for CommandOutput {
    fn into_tool_output(self) -> Result<ToolOutput, ToolError> {
        self.into_result().map(ToolOutput::text)
    }
}
