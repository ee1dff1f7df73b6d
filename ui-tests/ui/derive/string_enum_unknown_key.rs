// A misspelled key, on the enum and on a variant.
use pi_tools::StringEnum;

#[derive(StringEnum)]
#[string_enum(renameall = "kebab-case")]
enum Action {
    #[string_enum(aliases = "show")]
    List,
}

fn main() {}
