//! The client of one request.

use serde_json::json;

use super::{
    ContentBlock, ElicitRequest, GetExtensions as _, InputRequest, LoggingLevel, LoggingMessageNotification,
    LoggingMessageNotificationParam, OriginatingRequestId, Peer, PeerRequestOptions, ProgressNotification,
    ProgressNotificationParam, ProgressToken, ProtocolVersion, RequestContext, RequestId, RoleServer, ServerRequest,
};
use crate::host::Level;
use crate::hosts::mcp::host::Question;
use crate::hosts::mcp::log;
use crate::output::{Content, ToolOutput};

/// The client of one request.
#[derive(Clone)]
pub(super) struct Client {
    peer: Peer<RoleServer>,
    request: RequestId,
    /// Whether it speaks 2026-07-28, where a server asks by an answer, and says nothing that is not asked for.
    pub(super) is_modern: bool,
    pub(super) can_ask: bool,
    /// Whether there is sound in what it speaks.
    has_audio: bool,
    progress: Option<ProgressToken>,
    log_level: Option<LoggingLevel>,
}

impl Client {
    pub(super) fn new(cx: &RequestContext<RoleServer>, log_level: LoggingLevel) -> Self {
        let version = cx.protocol_version();
        let since = |first: ProtocolVersion| version.as_ref().is_some_and(|version| version.as_str() >= first.as_str());
        let is_modern = since(ProtocolVersion::V_2026_07_28);
        let elicitation = cx.client_capabilities().and_then(|capabilities| capabilities.elicitation);
        Self {
            peer: cx.peer.clone(),
            request: cx.id.clone(),
            is_modern,
            // Before there were others, there were only forms.
            can_ask: elicitation.is_some_and(|elicitation| elicitation.form.is_some() || elicitation.url.is_none()),
            has_audio: since(ProtocolVersion::V_2025_03_26),
            progress: cx.meta.get_progress_token(),
            log_level: if is_modern { cx.meta.log_level() } else { Some(log_level) },
        }
    }

    /// What the tool says to the model, which has the protocol's form but for sound where there was none.
    pub(super) fn content(&self, output: &ToolOutput) -> Vec<ContentBlock> {
        let block = |block: &Content| match block {
            Content::Text { text } => ContentBlock::text(text),
            Content::Audio(_) if !self.has_audio => ContentBlock::text(block.in_words().unwrap_or_default()),
            other => serde_json::from_value(json!(other)).expect("it has the protocol's form"),
        };
        output.content().iter().map(block).collect()
    }

    pub(super) async fn progress(&self, number: u32, text: String) {
        if let Some(token) = &self.progress {
            let params = ProgressNotificationParam::new(token.clone(), number.into()).with_message(text);
            // A client that is gone needs none.
            let _ = self.peer.send_notification(ProgressNotification::new(params).into()).await;
        }
    }

    pub(super) async fn notice(&self, level: Level, message: String) {
        let (name, level) = match level {
            Level::Info => ("info", LoggingLevel::Info),
            Level::Warning => ("warning", LoggingLevel::Warning),
            Level::Error => ("error", LoggingLevel::Error),
        };
        log(format_args!("{name}: {message}"));
        if self.log_level.is_some_and(|wanted| wanted as u8 <= level as u8) {
            let params = LoggingMessageNotificationParam::new(level, message.into());
            let _ = self.peer.send_notification(LoggingMessageNotification::new(params).into()).await;
        }
    }

    /// The question, as a request that says to which call it belongs.
    fn request(&self, question: &Question) -> ElicitRequest {
        let params = serde_json::from_value(question.params()).expect("these are params of an elicitation");
        let mut request = ElicitRequest::new(params);
        request.extensions_mut().insert(OriginatingRequestId(self.request.clone()));
        request
    }

    pub(super) fn input(&self, question: &Question) -> InputRequest {
        InputRequest::Elicitation(self.request(question))
    }

    /// Asks by a request, until nobody waits for the answer any more.
    pub(super) async fn elicit(self, mut question: Question) {
        let request = ServerRequest::ElicitRequest(self.request(&question));
        let options = PeerRequestOptions::no_options();
        let Ok(mut handle) = self.peer.send_request_with_option(request, options).await else { return };
        tokio::select! {
            answer = &mut handle.rx => {
                if let Some(answer) = answer.ok().and_then(Result::ok).and_then(|answer| serde_json::to_value(answer).ok()) {
                    question.answer(&answer);
                }
            }
            () = question.over() => drop(handle.cancel(None).await),
        }
    }
}
