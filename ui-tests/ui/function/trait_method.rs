// A trait's method is no tool.
use pi_tools::prelude::*;

trait Greeter {
    /// Greet someone.
    #[pi_tool]
    fn greet(&self) -> String;
}

fn main() {}
