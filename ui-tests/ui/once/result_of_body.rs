// A body of another type than the result: the compiler's own error, once.
use pi_tools::prelude::*;

/// Count calls.
#[pi_tool(handle = Count, timeout = "5s")]
fn count(
    /// A number.
    #[arg(default = 1, range = 1..=9)]
    number: u32,
) -> String {
    number
}

fn main() {
    let _ = Toolbox::builder().tool(Count);
}
