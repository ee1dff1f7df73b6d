// A case that serde does not have.
use pi_tools::StringEnum;

#[derive(StringEnum)]
#[string_enum(rename_all = "snake-case")]
enum Action {
    List,
}

fn main() {}
