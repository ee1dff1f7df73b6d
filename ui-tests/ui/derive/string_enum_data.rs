// A string enum has no data.
use pi_tools::StringEnum;

#[derive(StringEnum)]
enum Action {
    List,
    Add { text: String },
}

fn main() {}
