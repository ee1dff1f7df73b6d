// What `Json` holds must be `Serialize` and `JsonSchema`.
use pi_tools::prelude::*;

struct Count;

/// Count things.
#[pi_tool]
async fn count() -> Json<Count> {
    Json(Count)
}

fn main() {}
