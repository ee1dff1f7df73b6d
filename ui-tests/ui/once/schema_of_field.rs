// A type without `JsonSchema` in an argument with a default and a range beside it.
use pi_tools::prelude::*;

#[derive(Clone, Copy, Serialize, Deserialize)]
struct Point;

/// Draw a point.
#[pi_tool]
async fn draw(
    /// Where.
    #[arg(default = Point)]
    point: Point,
    /// How large.
    #[arg(range = 1..=9)]
    size: u32,
) -> String {
    let _ = point;
    size.to_string()
}

fn main() {}
