// The attribute takes a list in parentheses.
use pi_tools::prelude::*;

#[derive(Clone, Default, Serialize, Deserialize, SessionState)]
#[session_state = "count"]
struct Count(u32);

fn main() {}
