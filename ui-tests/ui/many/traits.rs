// Types that lack what they need, one error each at its type.
use pi_tools::prelude::*;

struct Other;

#[derive(Deserialize)]
struct Point;

/// Draw a point.
#[pi_tool]
async fn draw(
    /// Where.
    point: Point,
    other: &mut Other,
    city: &str,
) -> u32 {
    let _ = (point, other, city);
    3
}

fn main() {}
