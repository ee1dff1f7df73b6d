//! One call from the command line: progress and notices on stderr, the result on stdout.

use std::borrow::Cow;
use std::path::PathBuf;
use std::pin::pin;
use std::process::ExitCode;
use std::sync::Arc;
use std::task::Poll;
#[cfg(unix)]
use std::time::Duration;

use serde_json::value::RawValue;
#[cfg(unix)]
use tokio::signal::unix::SignalKind;
use tokio_util::sync::CancellationToken;

use super::recording::Recording;
use super::terminal::Terminal;
use super::{FAILED, arguments, check_policies, find, print, runtime, say};
use crate::context::ToolContext;
use crate::error::ToolError;
use crate::hint;
use crate::output::{Content, ToolOutput};
use crate::policy::Policy;
use crate::session::SessionFile;
use crate::toolbox::Toolbox;

/// How long a call may take to end when the process is to: a little more than one that was cancelled takes.
#[cfg(unix)]
const GRACE: Duration = Duration::from_secs(1);

#[derive(clap::Args)]
pub(super) struct Call {
    /// The tool's name
    name: String,
    /// The arguments: a JSON object, @FILE, or - for standard input
    #[arg(default_value = "{}", value_name = "JSON | @FILE | -")]
    arguments: String,
    /// One argument, in place of the JSON: again for a list, with dots for objects, =@FILE for the text of a file, =@@ for
    /// a text that begins with @; a list of objects needs the JSON
    #[arg(long = "arg", value_name = "NAME=VALUE", conflicts_with = "arguments")]
    pairs: Vec<String>,
    /// Print the whole output as JSON
    #[arg(long)]
    json: bool,
    /// Go on with the session in this file, which Pi opens, too; a new one if there is none
    #[arg(long, value_name = "FILE")]
    session: Option<PathBuf>,
    /// What may run
    #[arg(long, value_name = "POLICY")]
    policy: Vec<Policy>,
}

/// A call that makes sense.
pub(super) struct Prepared {
    command: Call,
    arguments: Box<RawValue>,
    session: Option<SessionFile>,
}

impl Call {
    /// # Errors
    ///
    /// What makes no sense. Nothing has happened then.
    pub(super) fn prepare(self, toolbox: &Toolbox) -> Result<Prepared, ToolError> {
        let tool = find(toolbox, &self.name)?;
        check_policies(toolbox, &self.policy)?;
        let arguments = if self.pairs.is_empty() {
            arguments::from_json(&self.arguments)?
        } else {
            arguments::from_pairs(tool, &self.pairs)?
        };
        let session = self.session.as_deref().map(Recording::open).transpose()?;
        Ok(Prepared { command: self, arguments, session })
    }
}

impl Prepared {
    /// # Errors
    ///
    /// When the session file cannot be written; the result is printed all the same, if there is one.
    pub(super) fn run(
        self,
        provided: impl FnOnce(Vec<Policy>) -> Result<Toolbox, ToolError>,
    ) -> Result<ExitCode, ToolError> {
        let Self { command: Call { name, json, policy, .. }, arguments, session } = self;
        let toolbox = provided(policy)?;
        let recording = session.map(|file| Recording::start(file, &name, &arguments)).transpose()?.map(Arc::new);
        let token = CancellationToken::new();
        let mut cx = ToolContext::new().with_call_id("cli").with_cancellation(token.clone());
        if let Some(recording) = &recording {
            cx = cx.with_call_id(recording.call_id()).with_session(recording.session(&toolbox));
        }
        let cx = cx.with_host(Arc::new(Terminal { recording: recording.clone() }));
        #[cfg(unix)]
        end_with(token.clone());
        interrupt_with(token);
        let runtime = runtime();
        let output = runtime.block_on(toolbox.call_with(&name, &*arguments, &cx));
        // Whoever reads of a file with the whole output looks for it when this process is gone.
        std::mem::forget(cx.session().clone());
        // A blocking tool that was cancelled may still hold a thread.
        runtime.shutdown_background();
        let recorded = recording.map_or(Ok(()), |recording| recording.finish(&output));
        let text = if json { format!("{:#}", serde_json::json!(output)) } else { readable(&output) };
        let printed = print(&format!("{}\n", text.trim_end_matches('\n')));
        recorded?;
        if !output.is_error() {
            return Ok(printed);
        }
        let arguments = serde_json::from_str(arguments.get())?;
        for (typed, known) in find(&toolbox, &name).map_or_else(|_| vec![], |tool| hint::arguments(tool, &arguments)) {
            say(format_args!("did you mean `{known}` in place of `{typed}`?"));
        }
        Ok(ExitCode::from(FAILED))
    }
}

/// What the model reads, with what each image, sound and resource is in its place.
fn readable(output: &ToolOutput) -> String {
    let blocks = output.content().iter().map(|block| match block {
        Content::Text { text } => Cow::Borrowed(text.as_str()),
        Content::Image(image) => format!("[{}]", image.mime_type()).into(),
        other => other.in_words().unwrap_or_default().into(),
    });
    blocks.collect::<Vec<_>>().join("\n")
}

/// Whoever ends the process (SIGTERM, SIGHUP) ends the call, as Ctrl-C does, and does not wait long for it. Where signals
/// cannot be watched they end the process by themselves.
#[cfg(unix)]
fn end_with(token: CancellationToken) {
    let (watching, is_watching) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        runtime().block_on(async {
            let ended = crate::hosts::signals::watch(&[SignalKind::terminate()]);
            let _ = watching.send(());
            let Ok(ended) = ended else { return };
            let signal = ended.await;
            token.cancel();
            tokio::time::sleep(GRACE).await;
            crate::children::kill_all();
            std::process::exit(128 + signal);
        });
    });
    let _ = is_watching.recv();
}

/// The first Ctrl-C asks the call to end, the second does not ask. It is watched on a thread of its own, so that a tool
/// that keeps the runtime to itself can be interrupted, too.
fn interrupt_with(token: CancellationToken) {
    let (watching, is_watching) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        runtime().block_on(async {
            let mut interrupt = pin!(tokio::signal::ctrl_c());
            // It watches from the first poll on.
            let polled = std::future::poll_fn(|task| Poll::Ready(interrupt.as_mut().poll(task))).await;
            let _ = watching.send(());
            let interrupted = match polled {
                Poll::Ready(interrupted) => interrupted,
                Poll::Pending => interrupt.await,
            };
            if interrupted.is_ok() {
                token.cancel();
            }
            if tokio::signal::ctrl_c().await.is_ok() {
                crate::children::kill_all();
                std::process::exit(130);
            }
        });
    });
    let _ = is_watching.recv();
}
