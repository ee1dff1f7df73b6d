// A borrowed argument: one error under the type, which says to take an owned type.
use pi_tools::prelude::*;

/// Tell the weather.
#[pi_tool]
async fn weather(
    /// The city.
    city: &str,
) -> String {
    city.to_owned()
}

fn main() {}
