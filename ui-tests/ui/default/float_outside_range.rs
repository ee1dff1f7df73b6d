// A default with a sign and a point.
use pi_tools::prelude::*;

/// Try something.
#[pi_tool]
async fn attempt(
    /// A value.
    #[arg(default = -0.5, range = 0.0..=1.0)]
    value: f64,
) -> String {
    let _ = value;
    String::new()
}

fn main() {}
