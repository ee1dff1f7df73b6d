//! Helpers for tests of tools: a context, a host that follows a script, expectations of outputs, and a list of all tools
//! for a file under version control.
//!
//! A tool is an ordinary function, so most tests call it; others call it by name, as a model does:
//!
//! ```
//! use pi_tools::prelude::*;
//! use pi_tools::testing::{TestContext, expect};
//!
//! /// Search the notes.
//! #[pi_tool(handle = Search, register = false)]
//! async fn search(
//!     /// What for.
//!     query: String,
//!     cx: &ToolContext,
//! ) -> Result<String, ToolError> {
//!     cx.update(format!("searching for {query}"));
//!     if query.is_empty() {
//!         return Err(ToolError::new("query: must not be empty"));
//!     }
//!     Ok(format!("nothing about {query}"))
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let cx = TestContext::new();
//! expect(search("tea".to_owned(), &cx).await).is_success().has_text("nothing about tea");
//! assert_eq!(cx.host().progress(), ["searching for tea"]);
//!
//! let toolbox = Toolbox::builder().tool(Search).build().unwrap();
//! expect(toolbox.call_with("search", r#"{"query":""}"#, &cx).await).is_error().has_text("query: must not be empty");
//! expect(toolbox.call("search", "{}").await).is_error().contains("query: missing");
//! # }
//! ```

mod context;
mod expect;
mod host;
mod tools;

pub use context::TestContext;
pub use expect::{Expected, expect};
pub use host::{HostEvent, ScriptedHost};
pub use tools::{assert_tool_list, tool_list};
