// `render_call` takes a text.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(render_call = ["greet"])]
async fn greet() -> String {
    String::new()
}

fn main() {}
