// A key that is like no other.
use pi_tools::prelude::*;

#[derive(Clone, Default, Serialize, Deserialize, SessionState)]
#[session_state(rename_all = "lowercase")]
struct Count(u32);

fn main() {}
