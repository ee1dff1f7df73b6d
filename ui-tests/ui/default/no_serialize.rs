// A default is published, so its type is `Serialize`: one error.
use pi_tools::prelude::*;
use pi_tools::schemars::{self, JsonSchema};

#[derive(Deserialize, JsonSchema)]
struct Point;

/// Try something.
#[pi_tool]
async fn attempt(
    /// A value.
    #[arg(default = Point)]
    value: Point,
) -> String {
    let _ = value;
    String::new()
}

fn main() {}
