//! A client, as one call reaches it.

use std::collections::{BTreeSet, VecDeque};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use serde_json::{Map, Value, json};
use tokio::sync::{Notify, oneshot};
use tokio_util::sync::CancellationToken;

use super::catalog::Catalog;
use crate::context::ToolContext;
use crate::error::ToolError;
use crate::host::{Dialog, FileLock, Form, Host, Level, Mode, NestedCall};
use crate::hosts::lock;
use crate::output::ToolOutput;

/// How deep calls may be in calls: a tool that calls itself must not take all memory.
const MAX_DEPTH: u32 = 16;

/// What a call has for its client.
pub(super) enum Event {
    /// What it has so far.
    Update(String),
    Notice(Level, String),
    Question(Question),
}

/// What the user is asked: a form.
pub(super) struct Question {
    /// Tells it from the other questions of its call.
    pub(super) key: String,
    pub(super) message: String,
    schema: Value,
    /// What it is to decline, where that is an answer.
    declined: Option<Value>,
    /// There until it is answered.
    answer: Option<oneshot::Sender<Option<Value>>>,
}

/// The name of the field, where there is only one.
const FIELD: &str = "answer";

impl Question {
    /// What `elicitation/create` asks.
    pub(super) fn params(&self) -> Value {
        json!({
            "mode": "form",
            "message": self.message,
            "requestedSchema": self.schema,
        })
    }

    /// Hands on the answer; whether it was one. To decline is one, and to close the form is to decline.
    pub(super) fn answer(&mut self, result: &Value) -> bool {
        let answer = match result["action"].as_str() {
            Some("accept") => Some(result["content"].clone()),
            Some("decline" | "cancel") => self.declined.take(),
            _ => return false,
        };
        // Whoever asked may have gone.
        let _ = self.answer.take().map(|waiting| waiting.send(answer));
        true
    }

    /// Whether nobody waits for the answer any more.
    pub(super) fn is_over(&self) -> bool {
        self.answer.as_ref().is_none_or(oneshot::Sender::is_closed)
    }

    /// Waits until nobody waits for the answer any more.
    pub(super) async fn over(&mut self) {
        if let Some(waiting) = &mut self.answer {
            waiting.closed().await;
        }
    }
}

/// What a call has for its client, until it is taken. An update replaces the one before it that was not taken yet, so a
/// client that does not read costs no more.
#[derive(Default)]
pub(super) struct Outbox {
    events: Mutex<VecDeque<Event>>,
    filled: Notify,
    /// The keys of all questions so far.
    keys: Mutex<BTreeSet<String>>,
}

impl Outbox {
    pub(super) async fn next(&self) -> Event {
        loop {
            let event = self.events().pop_front();
            if let Some(event) = event {
                return event;
            }
            self.filled.notified().await;
        }
    }

    pub(super) fn try_next(&self) -> Option<Event> {
        self.events().pop_front()
    }

    /// A key that no question of the call has had: the name, if there is one, or else a number.
    fn key(&self, name: Option<&str>) -> String {
        let mut keys = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        let first = if name.is_some() { 2 } else { 1 };
        let numbered = (first..=u64::MAX).map(|number| format!("{}-{number}", name.unwrap_or("question")));
        let mut candidates = name.map(str::to_owned).into_iter().chain(numbered);
        let key = candidates.find(|key| !keys.contains(key)).expect("there are enough numbers");
        keys.insert(key.clone());
        key
    }

    fn put(&self, event: Event) {
        let mut events = self.events();
        match (events.back_mut(), &event) {
            (Some(last @ Event::Update(_)), Event::Update(_)) => *last = event,
            _ => events.push_back(event),
        }
        self.filled.notify_one();
    }

    fn events(&self) -> MutexGuard<'_, VecDeque<Event>> {
        self.events.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What is the same for all calls of a connection.
#[derive(Clone)]
pub(super) struct Connection {
    pub(super) catalog: Arc<Catalog>,
    /// What is the same in the contexts of its calls.
    pub(super) cx: ToolContext,
    /// Whether the user can be asked.
    pub(super) can_ask: bool,
}

impl Connection {
    /// The context of a call, and what comes out of it.
    pub(super) fn call(self, token: CancellationToken) -> (ToolContext, Arc<Outbox>) {
        let outbox = Arc::<Outbox>::default();
        let host = McpHost { connection: self, outbox: Arc::clone(&outbox), token, updates: None, depth: 0 };
        (host.context(), outbox)
    }
}

/// A client, as one call reaches it.
struct McpHost {
    connection: Connection,
    outbox: Arc<Outbox>,
    token: CancellationToken,
    /// Who is told of updates in place of the client: the call that makes this one.
    updates: Option<tokio::sync::mpsc::UnboundedSender<ToolOutput>>,
    depth: u32,
}

impl McpHost {
    fn context(self) -> ToolContext {
        static CALLS: AtomicU64 = AtomicU64::new(1);
        // A client counts its requests by itself, and others do so, too.
        let call_id = format!("mcp-{}", CALLS.fetch_add(1, Ordering::Relaxed));
        let cx = self.connection.cx.clone();
        cx.with_call_id(call_id).with_cancellation(self.token.clone()).with_host(Arc::new(self))
    }

    async fn ask(&self, dialog: Dialog<'_>, message: &str, schema: Value, declined: Option<Value>) -> Option<Value> {
        if !self.connection.can_ask {
            return None;
        }
        let title = dialog.title;
        let message = if message.is_empty() { title.to_owned() } else { format!("{title}\n\n{message}") };
        let key = self.outbox.key(dialog.name);
        let (answer, answered) = oneshot::channel();
        self.outbox.put(Event::Question(Question { key, message, schema, declined, answer: Some(answer) }));
        answered.await.ok().flatten()
    }

    async fn ask_text(&self, dialog: Dialog<'_>, field: Value) -> Option<String> {
        let answer = self.ask(dialog, "", one(&field), None).await?;
        answer[FIELD].as_str().map(str::to_owned)
    }
}

/// The schema of a form with this field alone.
fn one(field: &Value) -> Value {
    json!({ "type": "object", "properties": { FIELD: field }, "required": [FIELD] })
}

#[async_trait]
impl Host for McpHost {
    fn update(&self, _: &str, output: ToolOutput) {
        match &self.updates {
            // Who no longer listens has ended.
            Some(updates) => drop(updates.send(output)),
            None => self.outbox.put(Event::Update(output.to_text())),
        }
    }

    fn notify(&self, _: &str, message: &str, level: Level) {
        self.outbox.put(Event::Notice(level, message.to_owned()));
    }

    fn has_ui(&self) -> bool {
        self.connection.can_ask
    }

    fn mode(&self) -> Mode {
        Mode::Mcp
    }

    async fn confirm(&self, dialog: Dialog<'_>, message: &str) -> Option<bool> {
        let schema = one(&json!({ "type": "boolean", "title": "Yes" }));
        self.ask(dialog, message, schema, Some(json!({ FIELD: false }))).await?[FIELD].as_bool()
    }

    /// Anything else than one of the texts is no answer.
    async fn select(&self, dialog: Dialog<'_>, options: &[String]) -> Option<String> {
        let answer = self.ask_text(dialog, json!({ "type": "string", "title": "Choice", "enum": options })).await;
        answer.filter(|answer| options.contains(answer))
    }

    async fn input(&self, dialog: Dialog<'_>, placeholder: &str) -> Option<String> {
        let mut field = json!({ "type": "string", "title": "Answer" });
        if !placeholder.is_empty() {
            field["description"] = format!("For example: {placeholder}").into();
        }
        self.ask_text(dialog, field).await
    }

    /// Forms have no fields of several lines.
    async fn editor(&self, dialog: Dialog<'_>, text: &str) -> Option<String> {
        let mut field = json!({ "type": "string", "title": "Text" });
        if !text.is_empty() {
            field["default"] = text.into();
        }
        self.ask_text(dialog, field).await
    }

    async fn form(&self, dialog: Dialog<'_>, form: &Form) -> Option<Map<String, Value>> {
        match self.ask(dialog, "", form.schema().clone(), None).await? {
            Value::Object(answers) => Some(answers),
            _ => None,
        }
    }

    async fn execute_tool(&self, call: NestedCall<'_>) -> Result<ToolOutput, ToolError> {
        let Some(name) = call.name else {
            return Err(ToolError::new("this application has no tool that this one stands for"));
        };
        let catalog = &self.connection.catalog;
        catalog.find(name).map_err(ToolError::new)?;
        if self.depth == MAX_DEPTH {
            return Err(ToolError::new(format!("`{name}` is not called: {MAX_DEPTH} calls are in each other already")));
        }
        // What this call asks of others ends with it, also when it is dropped.
        let token = self.token.child_token();
        let _ended = token.clone().drop_guard();
        let (sender, mut updates) = tokio::sync::mpsc::unbounded_channel();
        let host = Self {
            connection: self.connection.clone(),
            outbox: Arc::clone(&self.outbox),
            token,
            updates: Some(sender),
            depth: self.depth + 1,
        };
        let cx = host.context();
        let mut output = std::pin::pin!(catalog.toolbox().call_with(name, call.arguments.clone(), &cx));
        loop {
            tokio::select! {
                biased;
                Some(update) = updates.recv() => (call.on_update)(update),
                output = &mut output => return Ok(output),
            }
        }
    }

    async fn lock_file(&self, _: &str, path: &Path) -> Result<FileLock, ToolError> {
        lock::lock(path).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_comes_twice() {
        let outbox = Outbox::default();
        let keys = [None, Some("name"), Some("name"), None, Some("question-3"), None].map(|name| outbox.key(name));
        assert_eq!(keys, ["question-1", "name", "name-2", "question-2", "question-3", "question-4"]);
    }
}
