//! HTTP around the service: who may call.

use std::convert::Infallible;
use std::hint::black_box;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{AUTHORIZATION, HOST, ORIGIN, WWW_AUTHENTICATE};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpListener;

use super::service::{self, Body, Shared};

/// The path that is served.
const PATH: &str = "/mcp";
/// How many bytes a request may have: arguments with a large file in them.
const MAX_BODY: usize = 32 << 20;

/// Who may call a server over HTTP.
///
/// # Example
///
/// ```
/// use pi_tools::hosts::mcp::Access;
///
/// let access = Access::Token("a long random text".to_owned());
/// assert!(!format!("{access:?}").contains("random"), "a token is a secret");
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub enum Access {
    /// Whoever has this token: `Authorization: Bearer TOKEN`.
    Token(String),
    /// Every program on this machine.
    Open,
}

impl std::fmt::Debug for Access {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Token(_) => "Token(..)",
            Self::Open => "Open",
        })
    }
}

impl Access {
    fn allows(&self, request: &Request<Incoming>) -> bool {
        let Self::Token(token) = self else { return true };
        let header = request.headers().get(AUTHORIZATION).and_then(|header| header.to_str().ok());
        let Some((scheme, given)) = header.and_then(|header| header.split_once(' ')) else { return false };
        scheme.eq_ignore_ascii_case("bearer") && is_same(given.trim().as_bytes(), token.trim().as_bytes())
    }

    /// # Errors
    ///
    /// When nobody could call, or everybody.
    pub(crate) fn check(&self, address: SocketAddr) -> io::Result<()> {
        let problem = match self {
            Self::Token(token) if token.trim().is_empty() => "the token is empty".to_owned(),
            Self::Token(token) if !token.trim().bytes().all(|byte| matches!(byte, b' '..=b'~')) => {
                "the token has characters that are not visible ASCII".to_owned()
            }
            Self::Open if !address.ip().is_loopback() => {
                format!("{address} can be reached from elsewhere, so it needs a token")
            }
            _ => return Ok(()),
        };
        Err(io::Error::other(problem))
    }
}

/// Compares in a time that tells nothing of where they differ.
fn is_same(one: &[u8], other: &[u8]) -> bool {
    let differing = one.iter().zip(other).fold(0, |differing, (one, other)| black_box(differing | (one ^ other)));
    one.len() == other.len() && differing == 0
}

pub(super) async fn serve(shared: Arc<Shared>, listener: TcpListener, access: Access) -> io::Result<()> {
    let address = listener.local_addr()?;
    let is_local = address.ip().is_loopback();
    access.check(address)?;
    // A page of another machine may have its own name point here. It does not know the token, but there may be none.
    let hosts =
        is_local.then(|| ["localhost", "127.0.0.1", "::1", &address.ip().to_string()].map(str::to_owned).into());
    let service = service::http(shared, hosts, MAX_BODY);
    let access = Arc::new(access);
    loop {
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                // Of one connection, or there are too many open files: both pass.
                super::log(error);
                tokio::time::sleep(Duration::from_millis(100)).await;
                continue;
            }
        };
        let (service, access) = (service.clone(), Arc::clone(&access));
        let answer = service_fn(move |request: Request<Incoming>| {
            let (service, access) = (service.clone(), Arc::clone(&access));
            async move {
                Ok::<_, Infallible>(if request.uri().path() != PATH {
                    plain(StatusCode::NOT_FOUND, "The path is /mcp.")
                } else if [HOST, ORIGIN].iter().any(|name| request.headers().get_all(name).iter().nth(1).is_some()) {
                    // Only the first would be looked at.
                    plain(StatusCode::BAD_REQUEST, "There is more than one Host or Origin.")
                } else if access.allows(&request) {
                    let ends_session = request.method() == Method::DELETE;
                    let mut answer = service(request).await;
                    // It is over, and not to be over soon, which clients in Python call a failure.
                    if ends_session && answer.status() == StatusCode::ACCEPTED {
                        *answer.status_mut() = StatusCode::OK;
                    }
                    answer
                } else {
                    let text = "Send the server's token: `Authorization: Bearer TOKEN`.";
                    let mut refusal = plain(StatusCode::UNAUTHORIZED, text);
                    refusal.headers_mut().insert(WWW_AUTHENTICATE, "Bearer".parse().expect("a header"));
                    refusal
                })
            }
        });
        let connection = http1::Builder::new().timer(TokioTimer::new()).serve_connection(TokioIo::new(stream), answer);
        // A client that breaks off is no news.
        tokio::spawn(async move { drop(connection.await) });
    }
}

fn plain(status: StatusCode, text: &'static str) -> Response<Body> {
    let mut response = Response::new(Full::new(Bytes::from_static(text.as_bytes())).boxed());
    *response.status_mut() = status;
    response
}
