// A tool stands outside of an `impl`, with no `self` either.
use pi_tools::prelude::*;

struct Greeter;

impl Greeter {
    /// Greet someone.
    #[pi_tool]
    fn greet() -> String {
        String::new()
    }
}

fn main() {}
