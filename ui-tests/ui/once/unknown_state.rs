// A type that is not there, as state.
use pi_tools::prelude::*;

/// Count calls.
#[pi_tool]
async fn count(count: &mut Countt) -> String {
    count.to_string()
}

fn main() {}
