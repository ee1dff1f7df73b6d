// A tool is a free function.
use pi_tools::prelude::*;

struct Greeter;

impl Greeter {
    /// Greet someone.
    #[pi_tool]
    async fn greet(&self) -> String {
        String::new()
    }
}

fn main() {}
