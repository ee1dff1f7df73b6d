// A wrong result is one error, though the handle is in use.
use pi_tools::prelude::*;

/// Count things.
#[pi_tool(handle = Count)]
async fn count() -> u32 {
    3
}

fn main() {
    let _ = Toolbox::builder().tool(Count).build();
}
