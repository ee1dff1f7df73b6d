// `#[pi_tool]` goes on a function.
use pi_tools::prelude::*;

/// A greeting.
#[pi_tool]
struct Greeting {
    text: String,
}

fn main() {
    let _ = Greeting { text: String::new() };
}
