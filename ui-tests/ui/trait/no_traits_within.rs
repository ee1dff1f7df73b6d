// A type without the traits within another.
use pi_tools::prelude::*;

#[derive(Deserialize)]
struct Point;

/// Draw a point.
#[pi_tool]
async fn draw(
    /// Where.
    point: Vec<Point>,
) -> String {
    let _ = point;
    String::new()
}

fn main() {}
