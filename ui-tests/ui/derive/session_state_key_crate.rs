// `crate` takes a path, no text.
use pi_tools::prelude::*;

#[derive(Clone, Default, Serialize, Deserialize, SessionState)]
#[session_state(crate = "pi_tools")]
struct Count(u32);

fn main() {}
