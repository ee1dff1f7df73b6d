// Serde's `default` asks for `Default`: the message is at the type, and told once.
use std::num::NonZero;

use pi_tools::prelude::*;

/// Try something.
#[pi_tool]
async fn attempt(
    /// A value.
    #[serde(default)]
    depth: NonZero<u8>,
) -> String {
    depth.to_string()
}

fn main() {}
