// Parameters that cannot be read, each for another reason.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool]
async fn greet(
    name: String,
    /// A pair.
    (a, b): (u8, u8),
    /// A text.
    text: Option<&str>,
    /// The context.
    cx: ToolContext,
    /// Anything.
    any: impl Into<String>,
    /// Old.
    #[cfg_attr(unix, arg(alias = "old"))]
    other: String,
) -> String {
    let _ = (name, a, b, text, cx, any.into(), other);
    String::new()
}

fn main() {}
