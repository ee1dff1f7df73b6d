// `alias` takes a text or a list of texts.
use pi_tools::StringEnum;

#[derive(StringEnum)]
enum Action {
    #[string_enum(alias = 1)]
    List,
}

fn main() {}
