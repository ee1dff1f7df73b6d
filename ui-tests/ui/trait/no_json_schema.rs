// A type without `JsonSchema` only: one error.
use pi_tools::prelude::*;

#[derive(Deserialize)]
struct Point;

/// Draw a point.
#[pi_tool]
async fn draw(
    /// Where.
    point: Point,
) -> String {
    let _ = point;
    String::new()
}

fn main() {}
