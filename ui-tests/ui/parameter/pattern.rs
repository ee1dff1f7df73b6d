// A parameter needs a name.
use pi_tools::prelude::*;

/// Draw a point.
#[pi_tool]
async fn draw(
    /// The point.
    (x, y): (i32, i32),
) -> String {
    format!("{x} {y}")
}

fn main() {}
