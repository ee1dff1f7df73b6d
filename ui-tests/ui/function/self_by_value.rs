// A tool takes no `self`, by value either.
use pi_tools::prelude::*;

struct Greeter;

impl Greeter {
    /// Greet someone.
    #[pi_tool]
    fn greet(self) -> String {
        String::new()
    }
}

fn main() {}
