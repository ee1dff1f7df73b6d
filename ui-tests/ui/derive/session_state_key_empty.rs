// The key cannot be empty.
use pi_tools::prelude::*;

#[derive(Clone, Default, Serialize, Deserialize, SessionState)]
#[session_state(key = "")]
struct Count(u32);

fn main() {}
