// A value that is not `Sync`, of a function that blocks.
use pi_tools::prelude::*;
use std::cell::Cell;

/// Show something.
#[pi_tool]
fn show(value: &Cell<u8>) -> String {
    value.get().to_string()
}

fn main() {}
