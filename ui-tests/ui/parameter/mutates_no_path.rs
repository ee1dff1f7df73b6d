// `mutates` is for what names a file.
use pi_tools::prelude::*;

/// Cut.
#[pi_tool]
async fn cut(
    /// Where.
    #[arg(mutates)]
    line: u32,
) -> String {
    line.to_string()
}

fn main() {}
