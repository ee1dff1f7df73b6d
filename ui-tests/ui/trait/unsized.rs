// A type without a size is no argument.
use pi_tools::prelude::*;

/// Draw a point.
#[pi_tool]
async fn draw(
    /// Where.
    point: str,
) -> String {
    let _ = point;
    String::new()
}

fn main() {}
