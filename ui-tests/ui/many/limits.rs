// Limits of zero, where nothing is cut, with a state in parallel.
use pi_tools::prelude::*;

#[derive(Clone, Default, Serialize, Deserialize, SessionState)]
struct Count(u32);

/// Count calls.
#[pi_tool(truncate = "none", max_lines = 0, max_bytes = 100, execution = "parallel", register = false)]
async fn count(count: &mut Count) -> String {
    count.0.to_string()
}

fn main() {}
