// A key given twice.
use pi_tools::prelude::*;

#[derive(Clone, Default, Serialize, Deserialize, SessionState)]
#[session_state(key = "one", key = "two")]
struct Count(u32);

fn main() {}
