// Details must be `Serialize`.
use pi_tools::prelude::*;

struct Count;

/// Count things.
#[pi_tool]
async fn count() -> ToolOutput<Count> {
    ToolOutput::text("3")
}

fn main() {}
