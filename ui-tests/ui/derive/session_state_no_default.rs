// State needs a value to begin with: one error.
use pi_tools::prelude::*;

#[derive(Clone, Serialize, Deserialize, SessionState)]
struct Count(u32);

fn main() {}
