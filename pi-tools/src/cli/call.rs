//! One call from the command line: progress and notices on stderr, the result on stdout.

use std::io::{self, IsTerminal as _};
use std::pin::pin;
use std::process::ExitCode;
use std::sync::Arc;
use std::task::Poll;

use serde_json::{Value, value::RawValue};
use tokio_util::sync::CancellationToken;

use super::recording::Recording;
use super::{FAILED, print, runtime, say};
use crate::context::ToolContext;
use crate::error::ToolError;
use crate::host::{Host, Level};
use crate::output::ToolOutput;
use crate::session::SessionFile;
use crate::toolbox::Toolbox;

/// # Errors
///
/// When the session file cannot be written; the result is printed all the same, if there is one.
pub(super) fn call(
    toolbox: &Toolbox,
    name: &str,
    arguments: &RawValue,
    session: Option<SessionFile>,
    json: bool,
) -> Result<ExitCode, ToolError> {
    let recording = session.map(|file| Recording::start(file, name, arguments)).transpose()?.map(Arc::new);
    let token = CancellationToken::new();
    let mut cx = ToolContext::new().with_call_id("cli").with_cancellation(token.clone());
    if let Some(recording) = &recording {
        cx = cx.with_call_id(recording.call_id()).with_session(recording.session(toolbox));
    }
    let cx = cx.with_host(Arc::new(Terminal { recording: recording.clone() }));
    interrupt_with(token);
    let runtime = runtime();
    let output = runtime.block_on(toolbox.call_with(name, arguments, &cx));
    // Whoever reads of a file with the whole output looks for it when this process is gone.
    std::mem::forget(cx.session().clone());
    // A blocking tool that was cancelled may still hold a thread.
    runtime.shutdown_background();
    let recorded = recording.map_or(Ok(()), |recording| recording.finish(&output));
    let text = if json { format!("{:#}", serde_json::json!(output)) } else { output.to_text() };
    let printed = print(&format!("{}\n", text.trim_end_matches('\n')));
    recorded?;
    Ok(if output.is_error() { ExitCode::from(FAILED) } else { printed })
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

/// The host of calls from the command line.
struct Terminal {
    recording: Option<Arc<Recording>>,
}

impl Host for Terminal {
    fn update(&self, _: &str, output: ToolOutput) {
        say(format_args!("{}", output.to_text()));
    }

    fn notify(&self, _: &str, message: &str, level: Level) {
        let level = match level {
            Level::Info => "info",
            Level::Warning => "warning",
            Level::Error => "error",
        };
        say(format_args!("{level}: {message}"));
    }

    fn has_ui(&self) -> bool {
        io::stderr().is_terminal()
    }

    fn append_entry(&self, _: &str, custom_type: &str, data: &Value) -> Result<(), ToolError> {
        self.recording.as_ref().map_or(Ok(()), |recording| recording.append_entry(custom_type, data))
    }
}
