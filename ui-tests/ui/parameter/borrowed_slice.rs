// A borrowed slice: take `Vec<T>`.
use pi_tools::prelude::*;

/// Add numbers.
#[pi_tool]
fn add(
    /// The numbers.
    numbers: &[i64],
) -> String {
    numbers.iter().sum::<i64>().to_string()
}

fn main() {}
