// A method that is no tool is still a method.
use pi_tools::prelude::*;

struct Greeter;

impl Greeter {
    /// Greet someone.
    #[pi_tool]
    fn greet(&self) -> String {
        String::new()
    }
}

fn main() {
    println!("{}", Greeter.greet());
}
