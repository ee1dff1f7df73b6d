// State without a default: told at the type, and where a tool takes it.
use pi_tools::prelude::*;

#[derive(Clone, Serialize, Deserialize, SessionState)]
struct Count(u32);

/// Count calls.
#[pi_tool]
async fn count(count: &mut Count) -> String {
    count.0.to_string()
}

fn main() {}
