// A wrong state beside a right one.
use pi_tools::prelude::*;

#[derive(Clone, Default, Serialize, Deserialize, SessionState)]
struct Count(u32);

struct Other;

/// Count calls.
#[pi_tool]
async fn count(count: &mut Count, other: &mut Other) -> String {
    let _ = other;
    count.0.to_string()
}

fn main() {}
