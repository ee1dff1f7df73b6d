// A comma is missing between two parameters: the compiler says it, once more for what the attribute hands back.
use pi_tools::prelude::*;

/// Add numbers.
#[pi_tool]
fn add(
    /// One number.
    _one: u8
    /// Another number.
    _other: u8,
) {}

fn main() {}
