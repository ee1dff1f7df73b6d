// An override with another name and fewer arguments.
use pi_tools::prelude::*;

/// Run a command.
#[pi_tool(overrides = "bash", name = "run", read_only, destructive)]
async fn run(
    /// The command.
    line: String,
) -> String {
    line
}

fn main() {}
