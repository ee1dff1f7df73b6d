// A value cannot be empty.
use pi_tools::StringEnum;

#[derive(StringEnum)]
enum Action {
    #[string_enum(rename = "")]
    None,
    All,
}

fn main() {}
