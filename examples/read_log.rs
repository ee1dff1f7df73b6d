//! A tool whose output may be long: how much of it the model reads stands in the attribute.

use std::fs;

use pi_tools::prelude::*;

/// Read the end of a log.
#[pi_tool(read_only, truncate = "tail", max_lines = 100, prompt_snippet = "Read the end of a log")]
fn read_log(
    /// The log.
    file: ToolPath,
    cx: &ToolContext,
) -> Result<String, ToolError> {
    let log = fs::read(file.resolve(cx.cwd())?).map_err(|error| ToolError::new(format!("{file}: {error}")))?;
    // Whatever a program has written: bytes that are no UTF-8 are shown as such.
    Ok(String::from_utf8_lossy(&log).into_owned())
}

pi_tools::main!();
pi_tools::check!();
