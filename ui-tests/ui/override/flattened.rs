// The arguments of a built-in are checked by name: the message asks for parameters in place of `flatten`.
use pi_tools::builtin::ReadDetails;
use pi_tools::prelude::*;

#[derive(Deserialize)]
struct Arguments {
    path: String,
}

/// Read a file.
#[pi_tool(overrides = "read")]
async fn read(#[arg(flatten)] arguments: Arguments) -> ToolOutput<ReadDetails> {
    ToolOutput::text(arguments.path)
}

fn main() {}
