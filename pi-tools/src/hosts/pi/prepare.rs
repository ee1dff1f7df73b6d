//! The command `prepare`: one call's arguments, before Pi checks them.
//!
//! Pi prepares arguments while nothing else happens, so the extension cannot ask the process that serves, and runs the
//! executable once more.

use std::io::{self, Read as _, Write as _};
use std::process::ExitCode;

use serde_json::value::RawValue;

use crate::error::ToolError;
use crate::protocol::PreparedArguments;
use crate::run;
use crate::tool::ToolRef;

/// Reads the arguments from standard input, and writes what becomes of them to standard output.
///
/// # Errors
///
/// When one of the two fails. A refusal, or a panic, is an answer.
pub(crate) fn prepare(tool: ToolRef<'_>) -> io::Result<ExitCode> {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text)?;
    let mut output = super::stdio::keep_output()?;
    let prepared = serde_json::from_str::<&RawValue>(&text)
        .map_err(ToolError::from)
        .and_then(|arguments| run::prepare_alone(tool.entry, arguments));
    let answer = match prepared {
        Ok(arguments) => PreparedArguments::Arguments(arguments),
        Err(error) => PreparedArguments::Error(error.message().to_owned()),
    };
    output.write_all(&serde_json::to_vec(&answer)?)?;
    output.flush()?;
    Ok(ExitCode::SUCCESS)
}
