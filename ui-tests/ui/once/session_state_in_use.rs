// State with a wrong key is still state.
use pi_tools::prelude::*;

#[derive(Clone, Default, Serialize, Deserialize, SessionState)]
#[session_state(kye = "count")]
struct Count(u32);

/// Count calls.
#[pi_tool]
async fn count(count: &mut Count) -> String {
    count.0 += 1;
    format!("{}: {}", Count::KEY, count.0)
}

fn main() {}
