// A misspelled key.
use pi_tools::prelude::*;

#[derive(Clone, Default, Serialize, Deserialize, SessionState)]
#[session_state(kye = "count")]
struct Count(u32);

fn main() {}
