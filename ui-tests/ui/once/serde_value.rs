// Serde's values are texts: the message shows the form, and no trait is missed in consequence.
use pi_tools::prelude::*;

/// Try something.
#[pi_tool]
async fn attempt(
    /// A value.
    #[serde(rename = b"d")]
    depth: u8,
) -> String {
    depth.to_string()
}

fn main() {}
