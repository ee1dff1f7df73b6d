// A wrong error type beside state and a value.
use pi_tools::prelude::*;

#[derive(Clone, Default, Serialize, Deserialize, SessionState)]
struct Count(u32);

/// Count calls.
#[pi_tool]
async fn count(count: &mut Count, cx: &ToolContext) -> Result<String, u32> {
    cx.update("counting");
    Err(count.0)
}

fn main() {}
