// `cfg_attr` cannot be seen through.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool]
async fn greet(
    /// Whom to greet.
    #[cfg_attr(unix, arg(alias = "who"))]
    name: String,
) -> String {
    let _ = name;
    String::new()
}

fn main() {}
