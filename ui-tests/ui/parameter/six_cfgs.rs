// At most five parameters may be conditional.
use pi_tools::prelude::*;

/// Add numbers.
#[pi_tool]
fn add(
    /// One number.
    #[cfg(unix)]
    a: i64,
    /// One number.
    #[cfg(unix)]
    b: i64,
    /// One number.
    #[cfg(unix)]
    c: i64,
    /// One number.
    #[cfg(unix)]
    d: i64,
    /// One number.
    #[cfg(unix)]
    e: i64,
    /// One number.
    #[cfg(unix)]
    f: i64,
) -> String {
    (a + b + c + d + e + f).to_string()
}

fn main() {}
