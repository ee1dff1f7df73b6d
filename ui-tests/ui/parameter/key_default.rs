// `default` needs a value: there is no default of the type.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool]
async fn greet(
    /// Whom to greet.
    #[arg(default)]
    name: String,
) -> String {
    let _ = name;
    String::new()
}

fn main() {}
