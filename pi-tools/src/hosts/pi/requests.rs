//! What the bundle asks of Pi, and its answers.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::Log;
use super::stdio::Output;
use crate::error::ToolError;
use crate::output::ToolOutput;
use crate::protocol::{CancelParams, Incoming, Outgoing};

/// The pipe to the host, and the requests that wait for an answer from it.
pub(super) struct Requests {
    output: Arc<Output>,
    pub(super) log: Log,
    last_id: AtomicU64,
    waiting: Mutex<HashMap<String, UnboundedSender<Reply>>>,
}

enum Reply {
    Update(ToolOutput),
    Answer(Result<Box<RawValue>, ToolError>),
}

impl Requests {
    pub(super) fn new(output: Arc<Output>, log: Log) -> Self {
        Self { output, log, last_id: AtomicU64::new(0), waiting: Mutex::default() }
    }

    pub(super) fn notify(&self, method: &'static str, params: impl Serialize) {
        self.output.send(&Outgoing::notification(method, params));
    }

    /// Says what a call has so far.
    pub(super) fn progress(&self, call_id: &str, params: impl Serialize) {
        self.output.send_update(call_id, &Outgoing::notification("tools/update", params));
    }

    /// Asks, and waits for the answer. Dropped before, it tells the host that nobody waits any more.
    pub(super) async fn request<T: DeserializeOwned>(
        &self,
        method: &'static str,
        params: impl Serialize + Send,
        on_update: &(dyn Fn(ToolOutput) + Send + Sync),
    ) -> Result<T, ToolError> {
        // The host's own ids are numbers.
        let id = Value::String(format!("b{}", self.last_id.fetch_add(1, Ordering::Relaxed)));
        let mut request = Request::new(self, id);
        self.output.send(&Outgoing::request(&request.id, method, params));
        loop {
            match request.replies.recv().await {
                Some(Reply::Update(output)) => on_update(output),
                Some(Reply::Answer(answer)) => {
                    request.is_answered = true;
                    let answer = answer?;
                    return serde_json::from_str(answer.get()).map_err(|error| {
                        ToolError::new(format!("Pi's answer to {method} is not what it is to be: {error}"))
                    });
                }
                None => return Err(ToolError::new(format!("Pi does not answer {method}"))),
            }
        }
    }

    /// Hands an answer to whoever waits for it; if nobody does, it came too late.
    pub(super) fn answer(&self, message: &Incoming<'_>) {
        let answer = match (&message.error, message.result) {
            (Some(error), _) => Err(ToolError::new(error.message.clone())),
            (None, result) => Ok(result.unwrap_or(RawValue::NULL).to_owned()),
        };
        self.reply(message.id.as_ref(), Reply::Answer(answer));
    }

    /// Hands on what a tool that is called has so far.
    pub(super) fn update(&self, id: &Value, output: ToolOutput) {
        self.reply(Some(id), Reply::Update(output));
    }

    fn reply(&self, id: Option<&Value>, reply: Reply) {
        if let Some(waiting) = id.and_then(Value::as_str).and_then(|id| self.waiting().get(id).cloned()) {
            // Who has gone meanwhile leaves by itself.
            _ = waiting.send(reply);
        }
    }

    fn waiting(&self) -> MutexGuard<'_, HashMap<String, UnboundedSender<Reply>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One that waits.
struct Request<'a> {
    requests: &'a Requests,
    id: Value,
    replies: UnboundedReceiver<Reply>,
    is_answered: bool,
}

impl<'a> Request<'a> {
    fn new(requests: &'a Requests, id: Value) -> Self {
        let (sender, replies) = unbounded_channel();
        requests.waiting().insert(id.as_str().unwrap_or_default().to_owned(), sender);
        Self { requests, id, replies, is_answered: false }
    }
}

impl Drop for Request<'_> {
    fn drop(&mut self) {
        self.requests.waiting().remove(self.id.as_str().unwrap_or_default());
        if !self.is_answered {
            self.requests.notify("$/cancel", CancelParams { id: self.id.take() });
        }
    }
}
