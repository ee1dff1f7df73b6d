// `crate` takes a path, no text.
use pi_tools::StringEnum;

#[derive(StringEnum)]
#[string_enum(crate = "pi_tools")]
enum Action {
    List,
}

fn main() {}
