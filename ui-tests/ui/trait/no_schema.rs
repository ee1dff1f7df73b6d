// A parameter's type without serde's and schemars' traits: an error for each trait, at the type.
use pi_tools::prelude::*;

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
