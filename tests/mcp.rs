//! The bundles as MCP servers, in both eras of the protocol.
#![cfg(unix)]

#[path = "mcp/asking.rs"]
mod asking;
#[path = "mcp/catalog.rs"]
mod catalog;
#[path = "mcp/client.rs"]
mod client;
#[path = "mcp/command.rs"]
mod command;
#[path = "mcp/files.rs"]
mod files;
#[path = "mcp/http.rs"]
mod http;
#[path = "mcp/wire.rs"]
mod wire;
