// State is stored: an error for each of serde's traits.
use pi_tools::prelude::*;

#[derive(Clone, Default, SessionState)]
struct Count(u32);

fn main() {}
