// State needs the order of the calls.
use pi_tools::prelude::*;

#[derive(Clone, Default, Serialize, Deserialize, SessionState)]
struct Count(u32);

/// Count calls.
#[pi_tool(execution = "parallel")]
async fn count(count: &mut Count) -> String {
    count.0 += 1;
    count.0.to_string()
}

fn main() {}
