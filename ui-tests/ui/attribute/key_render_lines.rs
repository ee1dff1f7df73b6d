// `render_lines` takes a number.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(render_result = "{text}", render_lines = "5")]
async fn greet() -> String {
    String::new()
}

fn main() {}
