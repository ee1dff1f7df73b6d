// A type that is not there, from the application.
use pi_tools::prelude::*;

/// Count calls.
#[pi_tool]
async fn count(config: &Configg) -> String {
    config.to_string()
}

fn main() {}
