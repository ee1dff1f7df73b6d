// A result whose type is not there.
use pi_tools::prelude::*;

/// Count calls.
#[pi_tool]
async fn count() -> Strin {
    unimplemented!()
}

fn main() {}
