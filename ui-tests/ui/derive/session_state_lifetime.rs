// Session state borrows nothing.
use pi_tools::prelude::*;

#[derive(Clone, Default, Serialize, Deserialize, SessionState)]
struct Count<'a>(&'a str);

fn main() {}
