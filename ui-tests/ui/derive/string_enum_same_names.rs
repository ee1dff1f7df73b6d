// Two variants that the case makes equal.
use pi_tools::StringEnum;

#[derive(StringEnum)]
#[string_enum(rename_all = "lowercase")]
enum Action {
    ReadOnly,
    Readonly,
}

fn main() {}
