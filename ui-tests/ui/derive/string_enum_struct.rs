// Only enums.
use pi_tools::StringEnum;

#[derive(StringEnum)]
struct Action;

fn main() {}
