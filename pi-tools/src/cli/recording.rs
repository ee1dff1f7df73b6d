//! A call from the command line in a session file, as Pi has one that a model makes: the user asks for it, the model calls,
//! the tool answers.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json, value::RawValue};

use crate::error::ToolError;
use crate::output::ToolOutput;
use crate::session::{Session, SessionError, SessionFile};
use crate::toolbox::Toolbox;

/// The model of the call: none. What has Pi's `api` of virtual models is passed over when Pi looks for the session's model.
const NO_MODEL: [&str; 3] = ["pi-virtual", "pi-tools", "command-line"];

/// A session file that one call is written to.
pub(super) struct Recording {
    file: Mutex<SessionFile>,
    call_id: String,
    tool: String,
}

impl Recording {
    /// Opens the session, and writes nothing yet.
    pub(super) fn open(path: &Path) -> Result<SessionFile, SessionError> {
        SessionFile::open(path, std::env::current_dir().unwrap_or_default())
    }

    /// Writes down that the tool is called.
    pub(super) fn start(mut file: SessionFile, tool: &str, arguments: &RawValue) -> Result<Self, SessionError> {
        let text = format!("Call {tool} {arguments}");
        let asked = json!({ "role": "user", "content": [{ "type": "text", "text": text }], "timestamp": now() });
        // The entry's id is the only one of its kind in the session.
        let call_id = format!("call_{}", file.append_message(asked)?);
        let arguments: Value = serde_json::from_str(arguments.get()).unwrap_or_default();
        let arguments = if arguments.is_object() { arguments } else { json!({}) };
        let [api, provider, model] = NO_MODEL;
        let called = json!({
            "role": "assistant",
            "content": [{ "type": "toolCall", "id": call_id, "name": tool, "arguments": arguments }],
            "api": api,
            "provider": provider,
            "model": model,
            "usage": {
                "input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 0,
                "cost": { "input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0 },
            },
            "stopReason": "toolUse",
            "timestamp": now(),
        });
        file.append_message(called)?;
        Ok(Self { file: Mutex::new(file), call_id, tool: tool.to_owned() })
    }

    pub(super) fn call_id(&self) -> &str {
        &self.call_id
    }

    /// The session with the states of all tools.
    pub(super) fn session(&self, toolbox: &Toolbox) -> Session {
        self.file().session(&toolbox.state_keys())
    }

    pub(super) fn branch(&self) -> Vec<Value> {
        self.file().branch().into_iter().cloned().collect()
    }

    /// Writes an entry of the tool down at once.
    pub(super) fn append_entry(&self, custom_type: &str, data: &Value) -> Result<(), ToolError> {
        self.file().append_custom(custom_type, Some(data.clone()))?;
        Ok(())
    }

    /// Writes the tool's answer down.
    pub(super) fn finish(&self, output: &ToolOutput) -> Result<(), SessionError> {
        let mut file = self.file();
        let kept = file.append_result(&self.call_id, &self.tool, output);
        if let Err(error) = &kept {
            // A call without a result is refused by providers.
            let lost = ToolOutput::error(format!("{}: the result is lost: {error}", self.tool));
            file.append_result(&self.call_id, &self.tool, &lost)?;
        }
        kept.map(drop)
    }

    fn file(&self) -> MutexGuard<'_, SessionFile> {
        self.file.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn now() -> u128 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis()
}
