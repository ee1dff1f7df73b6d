// A type without `Deserialize` only: one error.
use pi_tools::prelude::*;
use pi_tools::schemars::{self, JsonSchema};

#[derive(JsonSchema)]
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
