// `examples` takes a list.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool]
async fn greet(
    /// Whom to greet.
    #[arg(examples = "Ada")]
    name: String,
) -> String {
    let _ = name;
    String::new()
}

fn main() {}
