// `StringEnum` brings serde's traits: a second derive of them is in conflict.
use pi_tools::prelude::*;

#[derive(Serialize, StringEnum)]
enum Action {
    List,
}

fn main() {}
