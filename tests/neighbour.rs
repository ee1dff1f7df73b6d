//! A second bundle beside another in one Pi: it changes files, too.

use pi_tools::prelude::*;

/// Empty a file.
#[pi_tool]
fn clear_file(
    /// The file.
    #[arg(mutates)]
    path: ToolPath,
    cx: &ToolContext,
) -> Result<String, ToolError> {
    pi_tools::path::replace_file(path.resolve(cx.cwd())?, "")?;
    Ok("emptied".to_owned())
}

pi_tools::main!();
