// An argument's name has at most 64 letters; this one has 65.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool]
async fn greet(
    /// Whom to greet.
    #[arg(rename = "name_name_name_name_name_name_name_name_name_name_name_name_names")]
    name: String,
) -> String {
    let _ = name;
    String::new()
}

fn main() {}
