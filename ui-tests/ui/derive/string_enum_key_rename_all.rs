// `rename_all` takes a text.
use pi_tools::StringEnum;

#[derive(StringEnum)]
#[string_enum(rename_all = kebab)]
enum Action {
    List,
}

fn main() {}
