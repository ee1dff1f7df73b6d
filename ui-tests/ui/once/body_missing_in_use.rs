// A function without a body is still one: its use is no second error.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool]
fn greet() -> String;

fn main() {
    println!("{}", greet());
}
