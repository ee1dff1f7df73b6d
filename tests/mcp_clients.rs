//! Bundles as MCP servers, with the clients that others have written: SDKs, the conformance suite, the Inspector, Pi.

#[path = "mcp_clients/conformance.rs"]
mod conformance;
#[path = "mcp_clients/in_pi.rs"]
mod in_pi;
#[path = "mcp_clients/inspector.rs"]
mod inspector;
#[path = "mcp_clients/sdks.rs"]
mod sdks;

/// Tools that misbehave.
const LAB: &str = env!("CARGO_BIN_EXE_lab");
/// Tools that ask the user.
const OUTSIDE: &str = env!("CARGO_BIN_EXE_outside");
/// Tools that the conformance suite calls.
const FIXTURE: &str = env!("CARGO_BIN_EXE_mcp_fixture");
