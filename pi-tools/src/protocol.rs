//! The messages between a bundle executable and the extension that Pi loads: JSON-RPC 2.0, one object a line.

use std::borrow::Cow;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, value::RawValue};

use crate::host::{Dialog, Level, Mode, Model};
use crate::output::{Content, ToolOutput};
use crate::schema::{ValueAlias, Variants};
use crate::session::SessionInfo;
use crate::spec::{Exposure, Rename};
use crate::template::Segment;

/// The version that this crate speaks.
pub(crate) const PROTOCOL_VERSION: u32 = 1;

/// What `manifest` prints.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Manifest<'a> {
    pub(crate) protocol_version: u32,
    pub(crate) name: &'a str,
    pub(crate) version: &'a str,
    pub(crate) tools: Vec<ManifestTool<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) entry_renderers: Vec<EntryRenderer<'a>>,
}

/// How the custom entries of a type are drawn.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EntryRenderer<'a> {
    pub(crate) custom_type: &'a str,
    pub(crate) template: Vec<Segment>,
}

/// One tool: Pi's own fields; `overrides`, `state`, `prepare` and `render`, which are for the extension; and two for `check`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ManifestTool<'a> {
    pub(crate) name: &'a str,
    pub(crate) label: &'a str,
    pub(crate) description: &'a str,
    pub(crate) parameters: &'a Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) output_schema: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) prompt_snippet: Option<&'a str>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub(crate) prompt_guidelines: &'a [&'a str],
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) execution_mode: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) annotations: Option<Annotations>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) constrained_sampling: Option<ConstrainedSampling>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) exposure: Option<Exposure>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) namespace: Option<Namespace<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) default_active: Option<bool>,
    /// Whether the tool stands for a built-in of the same name.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) overrides: bool,
    /// What calls are held to, for a later `check --against`: more than what is published.
    pub(crate) enforced: &'a Value,
    /// What each variant of a tagged enum requires, when it is all of the arguments: for the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) variants: Option<&'a Variants>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub(crate) state: &'a [&'a str],
    #[serde(skip_serializing_if = "Prepare::is_empty")]
    pub(crate) prepare: Prepare<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) render: Option<Render>,
}

/// How calls and results are drawn, where it is not the host's way.
#[derive(Debug, Serialize)]
pub(crate) struct Render {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) call: Option<Vec<Segment>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) result: Option<Vec<Segment>>,
    /// How many lines of a result are seen until it is expanded.
    pub(crate) lines: usize,
    /// Whether they are the last.
    pub(crate) tail: bool,
}

/// What a tool does to the world, as far as it says.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_field_names, reason = "the names are Pi's")]
pub(crate) struct Annotations {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) read_only_hint: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) destructive_hint: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) idempotent_hint: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) open_world_hint: Option<bool>,
}

/// That providers may hold the model to the schema while it writes, where they can.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum ConstrainedSampling {
    JsonSchema { strict: &'static str },
}

/// What the command `prepare` prints.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum PreparedArguments {
    Arguments(Value),
    /// For the model, as any error of a call.
    Error(String),
}

#[derive(Debug, Serialize)]
pub(crate) struct Namespace<'a> {
    pub(crate) name: &'a str,
}

/// What becomes of arguments before Pi checks them: old names, as data for the extension; and whether the tool has a
/// function for it, so that the extension runs the command `prepare`, which does all of it.
#[derive(Debug, Serialize)]
pub(crate) struct Prepare<'a> {
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) custom: bool,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub(crate) renames: &'a [Rename],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub(crate) values: &'a [ValueAlias],
}

impl Prepare<'_> {
    fn is_empty(&self) -> bool {
        !self.custom && self.renames.is_empty() && self.values.is_empty()
    }
}

/// A message from the host: a request, a notification, or the answer to a request of ours, which has no method.
#[derive(Debug, Deserialize)]
pub(crate) struct Incoming<'a> {
    pub(crate) id: Option<Value>,
    #[serde(borrow)]
    pub(crate) method: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub(crate) params: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) result: Option<&'a RawValue>,
    pub(crate) error: Option<RpcError>,
}

impl<'a> Incoming<'a> {
    /// Reads a line. An error has the id to answer to, as far as there is one.
    pub(crate) fn read(line: &'a [u8]) -> Result<Self, (Value, RpcError)> {
        let is_object = line.trim_ascii_start().first() == Some(&b'{');
        match serde_json::from_slice::<Self>(line) {
            Ok(message) if is_object => Ok(message),
            parsed => {
                let value: Value =
                    serde_json::from_slice(line).map_err(|error| (Value::Null, RpcError::parse(&error)))?;
                let problem = match parsed {
                    Err(error) if is_object => error.to_string(),
                    _ => "expected an object; batches are not supported".to_owned(),
                };
                Err((value["id"].clone(), RpcError::invalid_request(problem)))
            }
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct InitializeParams {
    pub(crate) protocol_version: u32,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct InitializeResult {
    pub(crate) protocol_version: u32,
}

#[derive(Debug, Deserialize)]
pub(crate) struct SessionStateParams<'a> {
    pub(crate) states: Map<String, Value>,
    #[serde(default)]
    #[serde(borrow)]
    pub(crate) entries: Vec<CustomEntry<'a>>,
    #[serde(default)]
    pub(crate) session: SessionInfo,
}

/// What tools and extensions have appended to a session.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CustomEntry<'a> {
    pub(crate) custom_type: String,
    #[serde(borrow)]
    pub(crate) data: Option<&'a RawValue>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CallParams<'a> {
    pub(crate) call_id: String,
    #[serde(borrow)]
    pub(crate) name: Cow<'a, str>,
    #[serde(borrow)]
    pub(crate) params: &'a RawValue,
    /// Whether the arguments are what `prepare` has made of them.
    #[serde(default)]
    pub(crate) prepared: bool,
    pub(crate) cwd: Option<PathBuf>,
    #[serde(rename = "hasUI", default)]
    pub(crate) has_ui: bool,
    #[serde(default)]
    pub(crate) mode: Mode,
    pub(crate) model: Option<Model>,
}

/// What is cancelled: a call, by the host, or a request to it, by the bundle.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct CancelParams {
    pub(crate) id: Value,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UpdateParams<'a> {
    pub(crate) call_id: &'a str,
    pub(crate) content: &'a [Content],
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) details: Option<&'a Value>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NotifyParams<'a> {
    pub(crate) call_id: &'a str,
    pub(crate) message: &'a str,
    pub(crate) level: Level,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StatusParams<'a> {
    pub(crate) call_id: &'a str,
    pub(crate) key: &'a str,
    pub(crate) text: Option<&'a str>,
}

/// Of any dialog: which of the last four is there depends on its kind.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DialogParams<'a> {
    pub(crate) call_id: &'a str,
    pub(crate) title: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) timeout_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) message: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) options: Option<&'a [String]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) placeholder: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) text: Option<&'a str>,
}

impl<'a> DialogParams<'a> {
    pub(crate) fn new(Dialog { call_id, title, time_limit, .. }: Dialog<'a>) -> Self {
        let timeout_ms = time_limit.map(|limit| u64::try_from(limit.as_millis()).unwrap_or(u64::MAX));
        Self { call_id, title, timeout_ms, message: None, options: None, placeholder: None, text: None }
    }
}

/// Of a call that a tool makes. Without a name it is that of the built-in which the tool stands for.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ExecuteToolParams<'a> {
    pub(crate) call_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<&'a str>,
    pub(crate) arguments: &'a Value,
}

/// What a tool that is called has so far.
#[derive(Debug, Deserialize)]
pub(crate) struct ExecuteToolUpdateParams {
    pub(crate) id: Value,
    pub(crate) output: ToolOutput,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LockParams<'a> {
    pub(crate) call_id: &'a str,
    pub(crate) path: &'a str,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LockResult {
    pub(crate) lock_id: u64,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UnlockParams {
    pub(crate) lock_id: u64,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BranchParams<'a> {
    pub(crate) call_id: &'a str,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AppendEntryParams<'a> {
    pub(crate) call_id: &'a str,
    pub(crate) custom_type: &'a str,
    pub(crate) data: &'a Value,
}

/// Any message to the host.
#[derive(Debug, Serialize)]
pub(crate) struct Outgoing<'a, T> {
    jsonrpc: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a Value>,
    #[serde(flatten)]
    body: Body<T>,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Body<T> {
    Result {
        result: T,
    },
    Error {
        error: RpcError,
    },
    /// With an id it is a request.
    Notification {
        method: &'static str,
        params: T,
    },
}

impl<'a, T> Outgoing<'a, T> {
    pub(crate) fn result(id: &'a Value, result: T) -> Self {
        Self { jsonrpc: "2.0", id: Some(id), body: Body::Result { result } }
    }

    pub(crate) fn request(id: &'a Value, method: &'static str, params: T) -> Self {
        Self { jsonrpc: "2.0", id: Some(id), body: Body::Notification { method, params } }
    }

    pub(crate) fn notification(method: &'static str, params: T) -> Self {
        Self { jsonrpc: "2.0", id: None, body: Body::Notification { method, params } }
    }
}

impl<'a> Outgoing<'a, ()> {
    pub(crate) fn error(id: &'a Value, error: RpcError) -> Self {
        Self { jsonrpc: "2.0", id: Some(id), body: Body::Error { error } }
    }
}

/// A JSON-RPC error: the message itself was wrong, or the host cannot do what it is asked for. A tool that fails is a
/// result.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct RpcError {
    code: i32,
    pub(crate) message: String,
}

impl std::fmt::Display for RpcError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl RpcError {
    pub(crate) fn parse(error: &serde_json::Error) -> Self {
        Self { code: -32700, message: format!("not a JSON-RPC message: {error}") }
    }

    pub(crate) fn invalid_request(problem: impl std::fmt::Display) -> Self {
        Self { code: -32600, message: format!("invalid request: {problem}") }
    }

    pub(crate) fn method_not_found(method: &str) -> Self {
        Self { code: -32601, message: format!("unknown method `{method}`") }
    }

    pub(crate) fn invalid_params(method: &str, problem: impl std::fmt::Display) -> Self {
        Self { code: -32602, message: format!("invalid params of `{method}`: {problem}") }
    }
}
