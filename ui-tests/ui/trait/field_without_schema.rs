// A type without `JsonSchema` behind an attribute of serde.
use pi_tools::prelude::*;

#[derive(Default, Deserialize)]
struct Point;

/// Draw a point.
#[pi_tool]
async fn draw(
    /// Where.
    #[serde(default)]
    point: Point,
) -> String {
    let _ = point;
    String::new()
}

fn main() {}
