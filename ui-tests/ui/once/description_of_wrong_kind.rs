// A description that cannot be read is not missed as well.
use pi_tools::prelude::*;

#[pi_tool(description = 1)]
async fn greet() -> String {
    String::new()
}

fn main() {}
