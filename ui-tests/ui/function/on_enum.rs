// `#[pi_tool]` goes on a function, not on `enum`.
use pi_tools::prelude::*;

#[pi_tool]
enum Greeting {
    Hello,
}

fn main() {
    // The item is still there: no second error.
    let _ = Greeting::Hello;
}
