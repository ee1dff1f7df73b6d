// A key given twice, in two attributes.
use pi_tools::StringEnum;

#[derive(StringEnum)]
#[string_enum(rename_all = "lowercase")]
#[string_enum(rename_all = "UPPERCASE")]
enum Action {
    List,
}

fn main() {}
