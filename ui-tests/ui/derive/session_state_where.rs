// A generic type with conditions is told once, as one without.
use pi_tools::prelude::*;

#[derive(Clone, Default, Serialize, Deserialize, SessionState)]
struct List<T>(Vec<T>)
where
    T: Clone;

fn main() {}
