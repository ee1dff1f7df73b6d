// A string enum has no parameters.
use pi_tools::StringEnum;

#[derive(StringEnum)]
enum Action<const N: usize> {
    List,
}

fn main() {}
