// `#[serde(..)]` on what is no argument.
use pi_tools::prelude::*;

/// Show something.
#[pi_tool]
async fn show(#[serde(rename = "old")] value: &u32) -> String {
    let _ = value;
    String::new()
}

fn main() {}
