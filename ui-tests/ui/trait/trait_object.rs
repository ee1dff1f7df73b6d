// A boxed trait object does not decode.
use pi_tools::prelude::*;

trait Shape: Send {}

/// Draw a point.
#[pi_tool]
async fn draw(
    /// Where.
    point: Box<dyn Shape>,
) -> String {
    let _ = point;
    String::new()
}

fn main() {}
