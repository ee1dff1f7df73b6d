// `rename` takes a text.
use pi_tools::StringEnum;

#[derive(StringEnum)]
enum Action {
    #[string_enum(rename = list)]
    List,
}

fn main() {}
