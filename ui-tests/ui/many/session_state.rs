// All mistakes of a state.
use pi_tools::prelude::*;

#[derive(Clone, Default, Serialize, Deserialize, SessionState)]
#[session_state]
#[session_state(key = "valueOf", kye = "count", crate = 1)]
struct Count(u32);

fn main() {}
