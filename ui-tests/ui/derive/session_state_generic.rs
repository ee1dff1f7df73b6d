// One key stands for one type.
use pi_tools::prelude::*;

#[derive(Clone, Default, Serialize, Deserialize, SessionState)]
struct List<T>(Vec<T>);

fn main() {}
