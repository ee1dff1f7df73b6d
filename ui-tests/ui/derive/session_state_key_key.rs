// `key` takes a text.
use pi_tools::prelude::*;

#[derive(Clone, Default, Serialize, Deserialize, SessionState)]
#[session_state(key = 1)]
struct Count(u32);

fn main() {}
