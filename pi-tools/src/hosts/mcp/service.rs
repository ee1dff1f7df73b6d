//! The protocol, as rmcp speaks it: no other module names it.
#![expect(deprecated, reason = "logging is, but clients of before 2026-07-28 show it")]

mod client;

use std::collections::HashSet;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientJsonRpcMessage, ClientNotification, ClientRequest,
    ContentBlock, CustomRequest, CustomResult, ElicitRequest, ErrorCode, ErrorData, GetExtensions, Implementation,
    InputRequest, InputRequiredResult, JsonRpcRequest, ListToolsResult, LoggingLevel, LoggingMessageNotification,
    LoggingMessageNotificationParam, MetaObject, PaginatedRequestParams, ProgressNotification,
    ProgressNotificationParam, ProgressToken, ProtocolVersion, RequestId, ServerCapabilities, ServerConfig,
    ServerJsonRpcMessage, ServerRequest, SetLevelRequestParams, Tool,
};
use rmcp::service::{OriginatingRequestId, PeerRequestOptions, RequestContext};
use rmcp::transport::Transport;
use rmcp::{Peer, RoleServer, ServerHandler};
use serde_json::{Map, Value, json};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use self::client::Client;
use super::call::Running;
use super::catalog::Catalog;
use super::host::{Connection, Event};
use super::parked::Parked;
use crate::context::ToolContext;
use crate::hosts::stdio::{Input, Output};
use crate::output::ToolOutput;
#[cfg(feature = "mcp-http")]
use crate::session::Session;

/// How long a call waits for its client to come back with an answer.
const ANSWER_LIMIT: Duration = Duration::from_secs(600);
/// How long a legacy session over HTTP lasts of which nobody hears.
#[cfg(feature = "mcp-http")]
const SESSION_LIMIT: Duration = Duration::from_secs(3600);
/// How long calls have to end when the client is gone.
const LAST_CALLS: Duration = Duration::from_millis(750);

/// What all connections of a server share.
pub(super) struct Shared {
    catalog: Arc<Catalog>,
    config: ServerConfig,
    tools: Vec<Tool>,
    parked: Parked<Running>,
    /// With the session of requests that belong to no connection: all over HTTP since 2026-07-28.
    cx: ToolContext,
    /// Ends all calls.
    end: CancellationToken,
}

impl Shared {
    pub(super) fn new(catalog: Catalog, name: &str, version: &str) -> Result<Arc<Self>, serde_json::Error> {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_logging().build();
        let config = ServerConfig::new(capabilities)
            .with_server_info(Implementation::new(name, version))
            .with_instructions(catalog.instructions(name));
        Ok(Arc::new(Self {
            tools: serde_json::from_value(catalog.list())?,
            catalog: Arc::new(catalog),
            config,
            parked: Parked::new(ANSWER_LIMIT),
            cx: ToolContext::new(),
            end: CancellationToken::new(),
        }))
    }
}

/// Serves one connection until its input ends, and the calls have had a moment to end, too.
pub(super) async fn serve(shared: Arc<Shared>, input: Input, output: Arc<Output>) {
    let ended = CancellationToken::new();
    let lines = Lines::new(input, Arc::clone(&output), ended.clone());
    let service = Service::new(Arc::clone(&shared), shared.cx.clone());
    // A client that goes before it has said anything is no fault.
    if let Ok(running) = rmcp::serve_server(service, lines).await {
        // For calls that do not end rmcp waits for long.
        tokio::select! {
            _ = running.waiting() => {}
            () = ended.cancelled() => {}
        }
    }
    shared.end.cancel();
    output.written(LAST_CALLS).await;
}

/// The body of an answer over HTTP.
#[cfg(feature = "mcp-http")]
pub(super) type Body = http_body_util::combinators::BoxBody<hyper::body::Bytes, std::convert::Infallible>;

/// An answer over HTTP, which may take its time.
#[cfg(feature = "mcp-http")]
type Answer = std::pin::Pin<Box<dyn Future<Output = hyper::Response<Body>> + Send>>;

/// Answers HTTP requests, from these hosts; `None` for any.
#[cfg(feature = "mcp-http")]
pub(super) fn http<B>(
    shared: Arc<Shared>,
    hosts: Option<Vec<String>>,
    max_body: usize,
) -> impl Fn(hyper::Request<B>) -> Answer + Clone + Send + Sync + 'static
where
    B: hyper::body::Body<Error: std::fmt::Display> + Send + 'static,
{
    use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
    use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};

    // Browsers say where a page is from; only those of this machine may call.
    let local = ["localhost", "127.0.0.1", "[::1]"];
    let origins = local.iter().flat_map(|host| [format!("http://{host}:*"), format!("https://{host}:*")]);
    let config =
        StreamableHttpServerConfig::default().with_max_request_body_bytes(max_body).with_allowed_origins(origins);
    let config = match hosts {
        Some(hosts) => config.with_allowed_hosts(hosts),
        None => config.disable_allowed_hosts(),
    };
    let mut sessions = LocalSessionManager::default();
    sessions.session_config.keep_alive = Some(SESSION_LIMIT);
    let connect = move || Ok(Service::new(Arc::clone(&shared), shared.cx.clone().with_session(Session::new())));
    let service = StreamableHttpService::new(connect, Arc::new(sessions), config);
    move |request| {
        let service = service.clone();
        Box::pin(async move { service.handle(request).await })
    }
}

/// Messages, each on its line.
struct Lines {
    input: Input,
    output: Arc<Output>,
    /// Told when there is nothing left to do.
    ended: CancellationToken,
    /// Whether the first request of a revision was there.
    is_open: bool,
    /// The requests that have no answer yet.
    open: HashSet<RequestId>,
    /// Until when they may have one, once the input has ended.
    limit: Option<Instant>,
}

impl Lines {
    fn new(input: Input, output: Arc<Output>, ended: CancellationToken) -> Self {
        Self { input, output, ended, is_open: false, open: HashSet::new(), limit: None }
    }

    /// The next message; `None` when the input has ended.
    async fn next(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            // Who does not read answers gets no more of them to wait for.
            self.output.room().await;
            let line = match self.input.line().await {
                Ok(line) => line?,
                Err(error) => {
                    super::log(error);
                    return None;
                }
            };
            let line = super::well_formed(&line);
            match serde_json::from_slice(&line) {
                Ok(ClientJsonRpcMessage::Request(request)) if !self.open.insert(request.id.clone()) => {
                    self.output.send(&super::repeated(&json!(request.id)));
                }
                Ok(ClientJsonRpcMessage::Request(request)) => {
                    self.is_open = self.is_open || is_first(&request, &line);
                    return Some(ClientJsonRpcMessage::Request(request));
                }
                // What comes before the first request, or after one that only looks around, concerns nobody.
                Ok(message) if self.is_open => return Some(message),
                Ok(_) => {}
                Err(_) => self.output.send(&super::refusal(&line)),
            }
        }
    }
}

/// Whether a connection begins with this request: by what is asked before it, a client only finds out what there is.
fn is_first(request: &JsonRpcRequest<ClientRequest>, line: &[u8]) -> bool {
    const MODERN: &[u8] = b"io.modelcontextprotocol/protocolVersion";
    match &request.request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::CustomRequest(_) | ClientRequest::PingRequest(_) => false,
        other => other.method() != "server/discover" && memchr::memmem::find(line, MODERN).is_some(),
    }
}

impl Transport<RoleServer> for Lines {
    type Error = Infallible;

    fn send(&mut self, message: ServerJsonRpcMessage) -> impl Future<Output = Result<(), Infallible>> + Send + 'static {
        match &message {
            ServerJsonRpcMessage::Response(response) => drop(self.open.remove(&response.id)),
            ServerJsonRpcMessage::Error(error) => drop(error.id.as_ref().map(|id| self.open.remove(id))),
            _ => {}
        }
        // Nor is it told how calls get on.
        if !matches!(message, ServerJsonRpcMessage::Notification(_)) || self.output.has_room() {
            self.output.send(&message);
        }
        std::future::ready(Ok(()))
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        if self.limit.is_none() {
            if let Some(message) = self.next().await {
                if let ClientJsonRpcMessage::Notification(notification) = &message
                    && let ClientNotification::CancelledNotification(cancelled) = &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.open.remove(id);
                }
                return Some(message);
            }
            self.limit = Some(Instant::now() + LAST_CALLS);
        }
        // Whenever something is sent, this is called anew.
        if let Some(limit) = self.limit.filter(|_| !self.open.is_empty()) {
            tokio::time::sleep_until(limit).await;
        }
        self.ended.cancel();
        None
    }

    async fn close(&mut self) -> Result<(), Infallible> {
        Ok(())
    }
}

/// One connection; over HTTP since 2026-07-28, one request.
struct Service {
    shared: Arc<Shared>,
    /// With the session of the connection.
    cx: ToolContext,
    /// What the client wants to see of the log.
    log_level: Mutex<LoggingLevel>,
}

impl Service {
    fn new(shared: Arc<Shared>, cx: ToolContext) -> Self {
        Self { shared, cx, log_level: Mutex::new(LoggingLevel::Info) }
    }

    fn log_level(&self) -> std::sync::MutexGuard<'_, LoggingLevel> {
        self.log_level.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn start(&self, request: CallToolRequestParams, client: &Client) -> Result<Running, ErrorData> {
        let shared = &self.shared;
        let tool = shared.catalog.find(&request.name).map_err(|problem| ErrorData::invalid_params(problem, None))?;
        let connection = Connection {
            catalog: Arc::clone(&shared.catalog),
            cx: if client.is_modern { shared.cx.clone() } else { self.cx.clone() },
            can_ask: client.can_ask,
        };
        Ok(Running::start(tool, request.arguments.unwrap_or_default(), connection, shared.end.child_token()))
    }

    /// Goes on with a call until it ends, or the client must answer before it goes on.
    async fn go_on(
        &self,
        mut call: Running,
        client: Client,
        cancelled: CancellationToken,
    ) -> Result<CallToolResponse, ErrorData> {
        let mut is_cancelled = false;
        call.answer();
        loop {
            if !call.questions.is_empty() {
                let questions = call.questions.iter().map(|question| (question.key.clone(), client.input(question)));
                let questions = questions.collect();
                return Ok(InputRequiredResult::new(Some(questions), Some(self.shared.parked.park(call))).into());
            }
            tokio::select! {
                biased;
                event = call.outbox.next() => call.tell(event, &client).await,
                output = &mut call.output => {
                    while let Some(event) = call.outbox.try_next() {
                        call.tell(event, &client).await;
                    }
                    let output = output.unwrap_or_else(|error| ToolOutput::error(format!("the call was lost: {error}")));
                    return Ok(call.result(&output, &client).into());
                }
                () = cancelled.cancelled(), if !is_cancelled => {
                    // Nobody waits for the answer, but the tool may have something to put in order.
                    is_cancelled = true;
                    call.cancel();
                }
            }
        }
    }
}

impl ServerHandler for Service {
    fn get_info(&self) -> ServerConfig {
        self.shared.config.clone()
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.shared.tools.iter().find(|tool| tool.name == name).cloned()
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.shared.tools.clone()))
    }

    async fn call_tool(
        &self,
        mut request: CallToolRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let client = Client::new(&cx, *self.log_level());
        let answers = request.input_responses.take().unwrap_or_default();
        let mut call = match request.request_state.take() {
            None => self.start(request, &client)?,
            Some(state) => {
                let arguments = request.arguments.unwrap_or_default();
                let is_meant = |call: &Running| call.name == request.name && call.arguments == arguments;
                self.shared.parked.take(&state, is_meant).ok_or_else(|| {
                    let problem = "no such call waits for this `requestState`: it was another, has ended, or waited for \
                                   more than 10 minutes; call the tool again without it";
                    ErrorData::invalid_params(problem, None)
                })?
            }
        };
        call.answers.extend(answers);
        self.go_on(call, client, cx.ct).await
    }

    async fn set_level(&self, request: SetLevelRequestParams, _: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        *self.log_level() = request.level;
        Ok(())
    }

    /// Requests that are not of the protocol, and those whose parameters are not.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        Err(if request.method == "tools/call" {
            ErrorData::invalid_params("`tools/call` takes `name`, a text, and `arguments`, an object", None)
        } else {
            ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("there is no method `{}`", request.method), None)
        })
    }
}

impl Running {
    async fn tell(&mut self, event: Event, client: &Client) {
        match event {
            Event::Update(text) => {
                self.updates += 1;
                client.progress(self.updates, text).await;
            }
            Event::Notice(level, message) => client.notice(level, message).await,
            Event::Question(question) if client.is_modern => self.ask(question),
            Event::Question(question) => drop(tokio::spawn(client.clone().elicit(question))),
        }
    }

    fn result(&self, output: &ToolOutput, client: &Client) -> CallToolResult {
        let mut content = client.content(output);
        let mut is_error = output.is_error();
        let structured = output.structured_content();
        // Clients hold a success to the schema, and would say something that helps nobody.
        if self.has_schema && structured.is_none() && !is_error {
            is_error = true;
            let problem = format!("{}: there is no structured content, of which it has a schema", self.name);
            content.push(ContentBlock::text(problem));
        }
        let own = [
            ("details", output.details().cloned()),
            ("usage", output.usage().cloned()),
            ("terminate", output.terminate().then_some(Value::Bool(true))),
        ];
        let meta: Map<String, Value> =
            own.into_iter().filter_map(|(name, value)| Some((format!("io.github.pi-tools/{name}"), value?))).collect();
        let mut result = if is_error { CallToolResult::error(content) } else { CallToolResult::success(content) };
        result.structured_content = structured.filter(|_| !is_error).cloned();
        result.meta = (!meta.is_empty()).then_some(MetaObject(meta));
        result
    }
}
