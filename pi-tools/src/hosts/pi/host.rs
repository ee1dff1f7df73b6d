//! Pi, as one call reaches it.

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use serde::de::DeserializeOwned;
use serde_json::{Value, value::RawValue};

use super::requests::Requests;
use crate::error::ToolError;
use crate::host::{Dialog, FileLock, Host, Level, Mode, Model, NestedCall};
use crate::output::{ToolOutput, plain};
use crate::protocol::{
    AppendEntryParams, BranchParams, DialogParams, ExecuteToolParams, LockParams, LockResult, NotifyParams,
    StatusParams, UnlockParams, UpdateParams,
};

/// The extension, as one call reaches it. What Pi is like is told with the call.
pub(super) struct PiHost {
    pub(super) requests: Arc<Requests>,
    pub(super) has_ui: bool,
    pub(super) mode: Mode,
    pub(super) model: Option<Model>,
}

impl PiHost {
    /// What a user answers, who may not be there, or close the dialog. What fails is nobody's answer, and told where the
    /// bundle tells such things.
    async fn ask<T: DeserializeOwned>(&self, method: &'static str, params: DialogParams<'_>) -> Option<T> {
        if !self.has_ui {
            return None;
        }
        self.requests.request(method, params, &drop).await.unwrap_or_else(|error| {
            (self.requests.log)(&format_args!("{method}: {error}"));
            None
        })
    }
}

#[async_trait]
impl Host for PiHost {
    fn update(&self, call_id: &str, output: ToolOutput) {
        let params = UpdateParams { call_id, content: &plain(output.content()), details: output.details() };
        self.requests.progress(call_id, params);
    }

    fn notify(&self, call_id: &str, message: &str, level: Level) {
        self.requests.notify("ui/notify", NotifyParams { call_id, message, level });
    }

    fn has_ui(&self) -> bool {
        self.has_ui
    }

    fn mode(&self) -> Mode {
        self.mode
    }

    fn model(&self) -> Option<Model> {
        self.model.clone()
    }

    fn set_status(&self, call_id: &str, key: &str, text: Option<&str>) {
        self.requests.notify("ui/setStatus", StatusParams { call_id, key, text });
    }

    async fn confirm(&self, dialog: Dialog<'_>, message: &str) -> Option<bool> {
        self.ask("ui/confirm", DialogParams { message: Some(message), ..DialogParams::new(dialog) }).await
    }

    async fn select(&self, dialog: Dialog<'_>, options: &[String]) -> Option<String> {
        self.ask("ui/select", DialogParams { options: Some(options), ..DialogParams::new(dialog) }).await
    }

    async fn input(&self, dialog: Dialog<'_>, placeholder: &str) -> Option<String> {
        self.ask("ui/input", DialogParams { placeholder: Some(placeholder), ..DialogParams::new(dialog) }).await
    }

    async fn editor(&self, dialog: Dialog<'_>, text: &str) -> Option<String> {
        self.ask("ui/editor", DialogParams { text: Some(text), ..DialogParams::new(dialog) }).await
    }

    async fn execute_tool(
        &self,
        NestedCall { call_id, name, arguments, on_update }: NestedCall<'_>,
    ) -> Result<ToolOutput, ToolError> {
        let method = if name.is_some() { "host/executeTool" } else { "host/executeBuiltin" };
        let params = ExecuteToolParams { call_id, name, arguments };
        let output: ToolOutput = self.requests.request(method, params, on_update).await?;
        Ok(if name.is_some() { output } else { output.already_cut() })
    }

    async fn lock_file(&self, call_id: &str, path: &Path) -> Result<FileLock, ToolError> {
        let path = path.to_str().ok_or_else(|| ToolError::new(format!("{}: Pi knows no such path", path.display())))?;
        let LockResult { lock_id } = self.requests.request("host/lock", LockParams { call_id, path }, &drop).await?;
        Ok(FileLock::new(Unlock { requests: Arc::clone(&self.requests), lock_id }))
    }

    async fn branch(&self, call_id: &str) -> Result<Vec<Value>, ToolError> {
        let entries: Vec<Box<RawValue>> =
            self.requests.request("session/branch", BranchParams { call_id }, &drop).await?;
        entries.iter().map(|entry| Ok(serde_json::from_str(entry.get())?)).collect()
    }

    fn append_entry(&self, call_id: &str, custom_type: &str, data: &Value) -> Result<(), ToolError> {
        self.requests.notify("session/appendEntry", AppendEntryParams { call_id, custom_type, data });
        Ok(())
    }
}

struct Unlock {
    requests: Arc<Requests>,
    lock_id: u64,
}

impl Drop for Unlock {
    fn drop(&mut self) {
        self.requests.notify("host/unlock", UnlockParams { lock_id: self.lock_id });
    }
}
