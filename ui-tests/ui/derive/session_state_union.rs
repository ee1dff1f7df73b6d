// Only structs and enums: no unions.
use pi_tools::prelude::*;

#[derive(SessionState)]
union Count {
    a: u32,
}

fn main() {}
