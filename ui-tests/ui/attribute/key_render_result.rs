// `render_result` takes a text.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(render_result = 1)]
async fn greet() -> String {
    String::new()
}

fn main() {}
