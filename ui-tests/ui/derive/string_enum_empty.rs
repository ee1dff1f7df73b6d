// A choice of nothing.
use pi_tools::StringEnum;

#[derive(StringEnum)]
enum Action {}

fn main() {}
