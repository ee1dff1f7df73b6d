// A key that is like no other, on the enum and on a variant.
use pi_tools::StringEnum;

#[derive(StringEnum)]
#[string_enum(default)]
enum Action {
    #[string_enum(skip)]
    List,
}

fn main() {}
