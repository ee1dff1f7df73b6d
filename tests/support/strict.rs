//! Tools as a strict crate has them: this has to compile without a warning.
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs, unreachable_pub, clippy::all, clippy::pedantic)]

use pi_tools::{SessionState, StringEnum, ToolContext, pi_tool};

/// A choice.
#[derive(Clone, Copy, Debug, StringEnum)]
pub enum Choice {
    /// One.
    One,
}

/// A state.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize, SessionState)]
pub struct Count(u8);

/// Do something.
#[pi_tool(handle = Strict)]
pub async fn strict(
    /// Not consumed.
    text: String,
    /// What.
    #[arg(alias = "old")]
    choice: Choice,
    state: &mut Count,
    cx: &ToolContext,
) -> String {
    state.0 += 1;
    format!("{choice}{}{}", text.len(), cx.call_id())
}

/// Do something else.
#[pi_tool]
#[must_use]
pub fn strict_blocking() -> String {
    String::new()
}
