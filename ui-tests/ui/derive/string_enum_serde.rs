// What serde's attribute can say of a string enum is little.
use pi_tools::StringEnum;

#[derive(StringEnum)]
#[serde(untagged)]
enum Action {
    List,
}

fn main() {}
