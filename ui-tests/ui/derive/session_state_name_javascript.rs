// A type's name that makes such a key: the message points at the name.
use pi_tools::prelude::*;

#[derive(Clone, Default, Serialize, Deserialize, SessionState)]
struct Constructor(u32);

fn main() {}
