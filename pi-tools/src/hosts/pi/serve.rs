//! Answers the extension's calls until its end of the pipe closes.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::host::PiHost;
use super::requests::Requests;
use super::stdio::Output;
use super::{Log, log};
use crate::context::ToolContext;
use crate::output::ToolOutput;
use crate::protocol::{
    CallParams, CancelParams, CustomEntry, ExecuteToolUpdateParams, Incoming, InitializeParams, InitializeResult,
    Outgoing, PROTOCOL_VERSION, RpcError, SessionStateParams,
};
use crate::session::Session;
use crate::tool::Arguments;
use crate::toolbox::Toolbox;

/// Serves until the host is gone, and ends the process then: to drop the runtime would be to wait for blocking tools.
///
/// # Errors
///
/// When standard input or output cannot be taken over.
pub(crate) async fn serve(toolbox: Toolbox) -> io::Result<ExitCode> {
    let (mut input, output) = super::stdio::take()?;
    let mut server = Server::new(Arc::new(toolbox), Arc::clone(&output), log);
    loop {
        output.room().await;
        match input.line().await {
            Ok(Some(line)) => server.receive(&line).unwrap_or_else(|problem| log(&problem)),
            Ok(None) => break,
            Err(error) => {
                log(&error);
                super::exit(1);
            }
        }
    }
    // Calls that need no waiting are still answered; the rest has nobody to answer to.
    tokio::task::yield_now().await;
    super::exit(0)
}

/// What a bundle answers to these lines, until it is left to wait: the wire without its ends, to be fuzzed.
pub async fn answer_lines(toolbox: Arc<Toolbox>, lines: &[u8]) -> Vec<u8> {
    let (mut input, output, written) = super::stdio::in_memory(lines);
    // There is no log here.
    let mut server = Server::new(toolbox, output, |_| {});
    while let Ok(Some(line)) = input.line().await {
        let _ = server.receive(&line);
        tokio::task::yield_now().await;
    }
    std::mem::take(&mut *written.lock().unwrap_or_else(PoisonError::into_inner))
}

/// The calls that can be cancelled, by the text of their id.
type Running = Arc<Mutex<HashMap<String, CancellationToken>>>;

struct Server {
    toolbox: Arc<Toolbox>,
    output: Arc<Output>,
    requests: Arc<Requests>,
    session: Session,
    running: Running,
    /// The host's version of the protocol, if it is another one. Nothing that it asks for would be understood.
    foreign_version: Option<u32>,
    /// What is wrong with the session that the host has told, if something is. A call would go on from another state.
    unreadable_session: Option<RpcError>,
    /// What is the same for most calls.
    cx: ToolContext,
}

impl Server {
    fn new(toolbox: Arc<Toolbox>, output: Arc<Output>, log: Log) -> Self {
        let requests = Arc::new(Requests::new(Arc::clone(&output), log));
        let (running, cx) = (Running::default(), ToolContext::new());
        let session = Session::new();
        Self { toolbox, output, requests, session, running, foreign_version: None, unreadable_session: None, cx }
    }

    /// Answers a message, or says what is wrong with one that has no answer.
    fn receive(&mut self, line: &[u8]) -> Result<(), RpcError> {
        let message = match Incoming::read(line) {
            Ok(message) => message,
            Err((id, error)) => {
                self.output.send(&Outgoing::error(&id, error));
                return Ok(());
            }
        };
        let Some(method) = message.method.as_deref() else {
            self.requests.answer(&message);
            return Ok(());
        };
        match (self.dispatch(method, &message), &message.id) {
            (Err(error), Some(id)) => {
                self.output.send(&Outgoing::error(id, error));
                Ok(())
            }
            (result, _) => result,
        }
    }

    fn dispatch(&mut self, method: &str, message: &Incoming<'_>) -> Result<(), RpcError> {
        match method {
            "initialize" => {
                let InitializeParams { protocol_version } = params(method, message)?;
                self.foreign_version = (protocol_version != PROTOCOL_VERSION).then_some(protocol_version);
                if self.foreign_version.is_some() {
                    let problem = format!("protocolVersion {protocol_version} is not {PROTOCOL_VERSION}");
                    return Err(RpcError::invalid_params(method, problem));
                }
                self.answer(message, InitializeResult { protocol_version });
            }
            "session/state" => {
                self.unreadable_session = self.replace_session(params(method, message)).err();
            }
            "session/info" => self.session.set_info(params(method, message)?),
            "tools/call" => self.call(message, params(method, message)?)?,
            "$/cancel" => {
                let CancelParams { id } = params(method, message)?;
                if let Some(token) = lock(&self.running).get(&id.to_string()) {
                    token.cancel();
                }
            }
            "host/executeTool/update" => {
                let ExecuteToolUpdateParams { id, output } = params(method, message)?;
                self.requests.update(&id, output);
            }
            "shutdown" => self.answer(message, ()),
            unknown => return Err(RpcError::method_not_found(unknown)),
        }
        Ok(())
    }

    fn replace_session(&self, params: Result<SessionStateParams<'_>, RpcError>) -> Result<(), RpcError> {
        let SessionStateParams { states, entries, session } = params?;
        self.session.replace(states);
        // Those of other extensions may be such that only they can read them.
        let data =
            |entry: &CustomEntry<'_>| entry.data.map_or(Ok(Value::Null), |data| serde_json::from_str(data.get()));
        self.session.add_entries(entries.into_iter().filter_map(|entry| {
            let data = data(&entry).ok()?;
            Some((entry.custom_type, data))
        }));
        self.session.set_info(session);
        Ok(())
    }

    /// Starts the call. One that needs no waiting ends before the next line is read.
    fn call(&self, message: &Incoming<'_>, params: CallParams<'_>) -> Result<(), RpcError> {
        let Some(id) = message.id.clone() else {
            return Err(RpcError::invalid_request("`tools/call` without an `id`, so nobody waits for its answer"));
        };
        if let Some(version) = self.foreign_version {
            return Err(RpcError::invalid_request(format!(
                "the executable has been replaced: it speaks protocol version {PROTOCOL_VERSION}, and the extension that Pi \
                 has loaded {version}; run `pi install` of the executable again, and /reload in Pi"
            )));
        }
        if let Some(problem) = &self.unreadable_session {
            return Err(RpcError::invalid_request(format!(
                "the state of the session cannot be read, and the call would go on from another: {problem}"
            )));
        }
        if self.toolbox.get(&params.name).is_none() {
            let replaced = "this executable has no such tool any more; /reload lets Pi read its tools again";
            let result = ToolOutput::<Value>::error(format!("Tool {} not found: {replaced}", params.name));
            self.output.send(&Outgoing::result(&id, result));
            return Ok(());
        }
        let key = id.to_string();
        let token = CancellationToken::new();
        match lock(&self.running).entry(key.clone()) {
            Entry::Occupied(_) => return Err(RpcError::invalid_request(format!("a call with the id {id} is running"))),
            Entry::Vacant(entry) => entry.insert(token.clone()),
        };

        let CallParams { has_ui, mode, model, .. } = params;
        let host = PiHost { requests: Arc::clone(&self.requests), has_ui, mode, model };
        let mut cx = self
            .cx
            .clone()
            .with_call_id(params.call_id)
            .with_host(Arc::new(host))
            .with_session(self.session.clone())
            .with_cancellation(token);
        if let Some(cwd) = params.cwd.filter(|cwd| cwd != self.cx.cwd()) {
            cx = cx.with_cwd(cwd);
        }
        let (toolbox, output, running) =
            (Arc::clone(&self.toolbox), Arc::clone(&self.output), Arc::clone(&self.running));
        let (name, arguments, is_prepared) = (params.name.into_owned(), params.params.to_owned(), params.prepared);
        tokio::spawn(async move {
            let arguments = Arguments::from(&*arguments);
            let arguments = if is_prepared { arguments.prepared() } else { arguments };
            let result = toolbox.call_with(&name, arguments, &cx).await;
            lock(&running).remove(&key);
            output.send_end(cx.call_id(), &Outgoing::result(&id, result.into_plain()));
        });
        Ok(())
    }

    fn answer(&self, message: &Incoming<'_>, result: impl Serialize) {
        if let Some(id) = &message.id {
            self.output.send(&Outgoing::result(id, result));
        }
    }
}

fn params<'a, T: Deserialize<'a>>(method: &str, message: &Incoming<'a>) -> Result<T, RpcError> {
    let text = message.params.map_or("null", |params| params.get());
    serde_json::from_str(text).map_err(|error| RpcError::invalid_params(method, error))
}

fn lock(running: &Running) -> std::sync::MutexGuard<'_, HashMap<String, CancellationToken>> {
    running.lock().unwrap_or_else(PoisonError::into_inner)
}
