#![doc = include_str!("mcp.md")]

mod call;
mod catalog;
mod host;
#[cfg(feature = "mcp-http")]
mod http;
mod parked;
mod service;

use std::borrow::Cow;
use std::fmt;
use std::io::{self, Write as _};
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite};

use self::catalog::Catalog;
use self::service::Shared;
use super::stdio;
use crate::policy::Tools;
use crate::toolbox::Toolbox;

#[cfg(feature = "mcp-http")]
pub use http::Access;
#[cfg(all(feature = "cli", feature = "mcp-http"))]
pub(crate) use parked::random;

/// A toolbox as an MCP server. `NAME mcp` of a bundle runs one; this is for applications of their own.
///
/// It serves all tools that are neither [hidden](crate::Exposure::Hidden) nor inactive
/// ([`ToolSpec::default_active`](crate::ToolSpec::default_active)); [`only`](Self::only) names an inactive one.
///
/// # Example
///
/// ```
/// use pi_tools::hosts::mcp::Server;
/// use pi_tools::prelude::*;
/// use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
///
/// /// Greet someone by name.
/// #[pi_tool(handle = Greet, register = false)]
/// async fn greet(
///     /// Whom to greet.
///     name: String,
/// ) -> String {
///     format!("Hello, {name}!")
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let toolbox = Toolbox::builder().tool(Greet).build()?;
/// let (client, server) = tokio::io::duplex(4096);
/// let (input, output) = tokio::io::split(server);
/// let server = tokio::spawn(Server::new(toolbox).name("greeter").serve(input, output));
///
/// let (input, mut output) = tokio::io::split(client);
/// let mut lines = BufReader::new(input).lines();
/// let initialize = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"example","version":"1"}}}"#;
/// output.write_all(format!("{initialize}\n").as_bytes()).await?;
/// assert!(lines.next_line().await?.unwrap().contains("greeter"));
///
/// output.shutdown().await?;
/// server.await??;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
#[must_use = "it serves nothing before one of its `serve` functions is awaited"]
pub struct Server {
    toolbox: Arc<Toolbox>,
    name: String,
    version: String,
    only: Option<Vec<Tools>>,
    except: Vec<Tools>,
}

impl Server {
    /// A server of these tools, whose name is `pi-tools`.
    pub fn new(toolbox: Toolbox) -> Self {
        Self {
            toolbox: Arc::new(toolbox),
            name: "pi-tools".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            only: None,
            except: Vec::new(),
        }
    }

    /// Sets the name that clients show.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Sets the version that clients show.
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.version = version.into();
        self
    }

    /// Serves only these tools, inactive ones, too.
    pub fn only<T: Into<Tools>>(mut self, tools: impl IntoIterator<Item = T>) -> Self {
        self.only = Some(tools.into_iter().map(Into::into).collect());
        self
    }

    /// Does not serve these tools.
    pub fn except<T: Into<Tools>>(mut self, tools: impl IntoIterator<Item = T>) -> Self {
        self.except.extend(tools.into_iter().map(Into::into));
        self
    }

    /// Serves the client at the other end of this process's standard input and output, and **ends the process** when it
    /// is gone: at once, or, if calls run, within a second.
    ///
    /// Descriptor 1 points at stderr from then on, so nothing that a tool prints breaks the protocol. It needs a tokio
    /// runtime with I/O and time enabled.
    ///
    /// # Errors
    ///
    /// When standard input or output cannot be taken over, and as [`Toolbox::verify`].
    pub async fn serve_stdio(self) -> io::Result<()> {
        let shared = self.shared()?;
        let (input, output) = stdio::take()?;
        service::serve(shared, input, output).await;
        super::exit(0)
    }

    /// Serves one client over a stream, until it ends. Calls that still run are cancelled then. It needs a tokio runtime
    /// with time enabled.
    ///
    /// # Errors
    ///
    /// As [`Toolbox::verify`].
    pub async fn serve<R, W>(self, input: R, output: W) -> io::Result<()>
    where
        R: AsyncRead + Unpin + Send + 'static,
        W: AsyncWrite + Unpin + Send + 'static,
    {
        let shared = self.shared()?;
        let (input, output) = stdio::over(input, output);
        service::serve(shared, input, output).await;
        Ok(())
    }

    /// Serves clients over HTTP, at the path `/mcp`, until the future is dropped. It needs a tokio runtime with I/O and
    /// time enabled.
    ///
    /// Only browsers that show a page of this machine may call. Legacy clients have a session each, in which states and
    /// long outputs are kept; since 2026-07-28 the protocol has no sessions, so all others share one.
    ///
    /// ```no_run
    /// use pi_tools::Toolbox;
    /// use pi_tools::hosts::mcp::{Access, Server};
    ///
    /// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// let listener = tokio::net::TcpListener::bind("127.0.0.1:8717").await?;
    /// let token = Access::Token(std::env::var("TOKEN")?);
    /// Server::new(Toolbox::collect()?).serve_http(listener, token).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// When it is open to everybody at an address that others can reach, and as [`Toolbox::verify`].
    #[cfg(feature = "mcp-http")]
    pub async fn serve_http(self, listener: tokio::net::TcpListener, access: Access) -> io::Result<()> {
        http::serve(self.shared()?, listener, access).await
    }

    fn shared(&self) -> io::Result<Arc<Shared>> {
        let catalog = Catalog::new(Arc::clone(&self.toolbox), self.only.as_deref(), &self.except);
        Ok(Shared::new(catalog.map_err(io::Error::other)?, &self.name, &self.version)?)
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { toolbox, name, version, only, except } = self;
        f.debug_struct("Server")
            .field("toolbox", toolbox)
            .field("name", name)
            .field("version", version)
            .field("only", only)
            .field("except", except)
            .finish()
    }
}

/// A line on stderr, if anybody is there to read it: `eprintln!` would panic.
fn log(line: impl fmt::Display) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// A line without halves of surrogate pairs, which JavaScript and Python write and nobody else reads.
fn well_formed(line: &[u8]) -> Cow<'_, [u8]> {
    let is_escape =
        |line: &[u8]| line.len() > 5 && line[0] == b'\\' && line[1] == b'u' && line[2].eq_ignore_ascii_case(&b'd');
    let is_high = |line: &[u8]| is_escape(line) && matches!(line[3], b'8' | b'9' | b'a' | b'b' | b'A' | b'B');
    if memchr::memchr_iter(b'\\', line).all(|at| !is_escape(&line[at..])) {
        return Cow::Borrowed(line);
    }
    let mut text = Vec::with_capacity(line.len());
    let mut rest = line;
    while !rest.is_empty() {
        let (kept, length) = match rest {
            _ if is_high(rest) && is_escape(&rest[6..]) && !is_high(&rest[6..]) => (true, 12),
            // From U+D000 to U+D7FF are letters.
            _ if is_escape(rest) => (rest[3] < b'8', 6),
            [b'\\', _, ..] => (true, 2),
            _ => (true, 1),
        };
        text.extend_from_slice(if kept { &rest[..length] } else { b"\\ufffd" });
        rest = &rest[length..];
    }
    Cow::Owned(text)
}

/// The answer to a request with the id of one that has no answer yet.
fn repeated(id: &Value) -> Value {
    let message = "a request with this id has no answer yet";
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": -32600, "message": message } })
}

/// The answer to a line that is no message.
fn refusal(line: &[u8]) -> Value {
    /// Of whatever else there is: too deep, or a number that is none.
    #[derive(Deserialize)]
    struct Identified {
        id: Option<Value>,
    }

    let (id, code, message) = match serde_json::from_slice::<Value>(line) {
        Err(error) => {
            let id = serde_json::from_slice::<Identified>(line).ok().and_then(|message| message.id);
            (id.unwrap_or_default(), -32700, format!("a line that is no JSON: {error}"))
        }
        Ok(Value::Array(_)) => {
            let message = "batches are not taken: send each message on a line of its own";
            (Value::Null, -32600, message.to_owned())
        }
        Ok(value) => {
            let message = "no message of JSON-RPC 2.0: a request has `jsonrpc`, `id` and `method`";
            (value["id"].clone(), -32600, message.to_owned())
        }
    };
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
}
