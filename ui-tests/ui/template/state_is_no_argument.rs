// Session state is no argument.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(confirm = "Count {count}?")]
async fn greet(count: &mut Count) -> String {
    count.0.to_string()
}

#[derive(Clone, Default, Serialize, Deserialize, SessionState)]
struct Count(u32);

fn main() {}
