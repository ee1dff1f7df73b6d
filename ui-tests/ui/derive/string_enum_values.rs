// Values are distinct, and the case is one of serde's.
use pi_tools::StringEnum;

#[derive(StringEnum)]
#[string_enum(rename_all = "Title Case")]
enum Action {
    List,
    #[string_enum(rename = "list")]
    Show,
    #[string_enum(alias = "")]
    Add,
}

fn main() {}
