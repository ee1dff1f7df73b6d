// All mistakes of a choice of words.
use pi_tools::StringEnum;

#[derive(StringEnum)]
#[string_enum(rename_all = "kebab", tag = "type")]
enum Action {
    #[string_enum(rename = 1)]
    List,
    #[string_enum(alias = "list", aliases = "show")]
    Show,
    Add(String),
    #[serde(rename = "")]
    Remove,
}

fn main() {}
