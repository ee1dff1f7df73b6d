//! Who sits at the terminal, as the host of a call.

use std::io::{self, IsTerminal as _, Write as _};
use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;

use super::recording::Recording;
use super::say;
use crate::error::ToolError;
use crate::host::{Dialog, FileLock, Host, Level, Mode};
use crate::hosts::lock;
use crate::output::ToolOutput;

/// The host of calls from the command line.
pub(super) struct Terminal {
    pub(super) recording: Option<Arc<Recording>>,
}

impl Terminal {
    /// The line that is written after a question, or that there is none; `None` when nobody can read the one or write the
    /// other.
    async fn ask(&self, question: &str) -> Option<Option<String>> {
        if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
            return None;
        }
        let mut stderr = io::stderr();
        write!(stderr, "{question} ").and_then(|()| stderr.flush()).ok()?;
        // On a thread, so that Ctrl-C ends the call and not the line.
        tokio::task::spawn_blocking(|| io::stdin().lines().next()?.ok()).await.ok()
    }
}

#[async_trait]
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

    fn mode(&self) -> Mode {
        Mode::Cli
    }

    async fn confirm(&self, dialog: Dialog<'_>, message: &str) -> Option<bool> {
        let message = if message.is_empty() { String::new() } else { format!("\n{message}") };
        let answer = self.ask(&format!("{}{message} [y/N]", dialog.title)).await?;
        Some(answer.is_some_and(|answer| matches!(answer.trim().to_lowercase().as_str(), "y" | "yes")))
    }

    /// By number or by text; anything else is no answer.
    async fn select(&self, dialog: Dialog<'_>, options: &[String]) -> Option<String> {
        let numbered = options.iter().zip(1..).map(|(option, number)| format!("\n  {number}. {option}"));
        let answer = self.ask(&format!("{}{}\n>", dialog.title, numbered.collect::<String>())).await??;
        let by_number = answer.trim().parse::<usize>().ok().and_then(|number| options.get(number.checked_sub(1)?));
        by_number.or_else(|| options.iter().find(|option| option.trim() == answer.trim())).cloned()
    }

    async fn input(&self, dialog: Dialog<'_>, placeholder: &str) -> Option<String> {
        let placeholder = if placeholder.is_empty() { String::new() } else { format!(" ({placeholder})") };
        self.ask(&format!("{}{placeholder}:", dialog.title)).await?
    }

    async fn lock_file(&self, _: &str, path: &Path) -> Result<FileLock, ToolError> {
        lock::lock(path).await
    }

    fn append_entry(&self, _: &str, custom_type: &str, data: &Value) -> Result<(), ToolError> {
        self.recording.as_ref().map_or(Ok(()), |recording| recording.append_entry(custom_type, data))
    }

    async fn branch(&self, _: &str) -> Result<Vec<Value>, ToolError> {
        let recording = self.recording.as_ref();
        recording
            .map(|recording| recording.branch())
            .ok_or_else(|| ToolError::new("there is no session: name one with --session"))
    }
}
