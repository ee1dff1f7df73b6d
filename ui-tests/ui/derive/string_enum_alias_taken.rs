// An alias that is the variant's own value, and one that is another's.
use pi_tools::StringEnum;

#[derive(StringEnum)]
enum Action {
    #[string_enum(alias = "list")]
    List,
    #[string_enum(alias = ["list", "all"])]
    Show,
}

fn main() {}
