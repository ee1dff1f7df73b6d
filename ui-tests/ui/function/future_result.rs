// A function that returns a future: write `async fn`.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool]
fn greet() -> impl Future<Output = String> {
    async { String::new() }
}

fn main() {}
