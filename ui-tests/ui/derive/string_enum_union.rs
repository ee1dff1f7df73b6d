// Only enums: no unions.
use pi_tools::StringEnum;

#[derive(StringEnum)]
union Action {
    list: u8,
}

fn main() {}
