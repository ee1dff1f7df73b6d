// The attribute takes a list in parentheses.
use pi_tools::StringEnum;

#[derive(StringEnum)]
#[string_enum = "lowercase"]
enum Action {
    List,
}

fn main() {}
