//! Answers the extension's calls until its end of the pipe closes.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt;
use std::io::{self, Write as _};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use super::host::PiHost;
use super::requests::Requests;
use super::stdio::Output;
use crate::context::ToolContext;
use crate::protocol::{
    CallParams, CancelParams, ExecuteToolUpdateParams, Incoming, InitializeParams, InitializeResult, Outgoing,
    PROTOCOL_VERSION, RpcError, SessionStateParams,
};
use crate::session::Session;
use crate::toolbox::{Arguments, Toolbox};

/// Serves until the host is gone, and ends the process then: to drop the runtime would be to wait for blocking tools.
///
/// # Errors
///
/// When standard input or output cannot be taken over.
pub(crate) async fn serve(toolbox: Toolbox) -> io::Result<ExitCode> {
    let (mut input, output) = super::stdio::take()?;
    let mut server = Server::new(Arc::new(toolbox), output);
    loop {
        match input.line().await {
            Ok(Some(line)) => server.receive(&line).unwrap_or_else(log),
            Ok(None) => break,
            Err(error) => {
                log(error);
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
    let mut server = Server::new(toolbox, output);
    while let Ok(Some(line)) = input.line().await {
        // There is no log here.
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
}

impl Server {
    fn new(toolbox: Arc<Toolbox>, output: Arc<Output>) -> Self {
        let requests = Arc::new(Requests::new(Arc::clone(&output)));
        Self { toolbox, output, requests, session: Session::new(), running: Running::default() }
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
                if protocol_version != PROTOCOL_VERSION {
                    let problem = format!("protocolVersion {protocol_version} is not {PROTOCOL_VERSION}");
                    return Err(RpcError::invalid_params(method, problem));
                }
                self.answer(message, InitializeResult { protocol_version });
            }
            "session/state" => {
                let SessionStateParams { states, entries, session } = params(method, message)?;
                self.session.replace(states);
                self.session.add_entries(entries.into_iter().map(|entry| (entry.custom_type, entry.data)));
                self.session.set_info(session);
            }
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

    /// Starts the call. One that needs no waiting ends before the next line is read.
    fn call(&self, message: &Incoming<'_>, params: CallParams<'_>) -> Result<(), RpcError> {
        let Some(id) = message.id.clone() else {
            return Err(RpcError::invalid_request("`tools/call` without an `id`, so nobody waits for its answer"));
        };
        let key = id.to_string();
        let token = CancellationToken::new();
        match lock(&self.running).entry(key.clone()) {
            Entry::Occupied(_) => return Err(RpcError::invalid_request(format!("a call with the id {id} is running"))),
            Entry::Vacant(entry) => entry.insert(token.clone()),
        };

        let CallParams { has_ui, mode, model, .. } = params;
        let host = PiHost { requests: Arc::clone(&self.requests), has_ui, mode, model };
        let mut cx = ToolContext::new()
            .with_call_id(params.call_id)
            .with_host(Arc::new(host))
            .with_session(self.session.clone())
            .with_cancellation(token);
        if let Some(cwd) = params.cwd {
            cx = cx.with_cwd(cwd);
        }
        let (toolbox, output, running) =
            (Arc::clone(&self.toolbox), Arc::clone(&self.output), Arc::clone(&self.running));
        let (name, arguments, is_prepared) = (params.name.into_owned(), params.params.to_owned(), params.prepared);
        tokio::spawn(async move {
            let mut arguments = Arguments::from(&*arguments);
            arguments.is_prepared = is_prepared;
            let result = toolbox.call_with(&name, arguments, &cx).await;
            lock(&running).remove(&key);
            output.send(&Outgoing::result(&id, result));
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

/// A line on stderr, if anybody is there to read it: `eprintln!` would panic.
fn log(problem: impl fmt::Display) {
    let _ = writeln!(io::stderr(), "pi-tools: {problem}");
}

fn lock(running: &Running) -> std::sync::MutexGuard<'_, HashMap<String, CancellationToken>> {
    running.lock().unwrap_or_else(PoisonError::into_inner)
}
