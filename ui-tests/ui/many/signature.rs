// A signature with everything that a tool cannot have.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool]
const unsafe extern "C" fn greet<T>(any: &impl Send) -> impl Into<String> {
    let _ = any;
    "Hello"
}

fn main() {}
