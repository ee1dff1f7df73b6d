// A parameter without a name is not missed in a template as well.
use pi_tools::prelude::*;

/// Draw a point.
#[pi_tool(confirm = "Draw {x}?")]
async fn draw(
    /// The point.
    (x, y): (i32, i32),
) -> String {
    format!("{x} {y}")
}

fn main() {}
