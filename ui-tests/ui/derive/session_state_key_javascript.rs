// A key that every JavaScript object has a property of.
use pi_tools::prelude::*;

#[derive(Clone, Default, Serialize, Deserialize, SessionState)]
#[session_state(key = "__proto__")]
struct Count(u32);

fn main() {}
