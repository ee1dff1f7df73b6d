// A struct pattern has no name.
use pi_tools::prelude::*;
use pi_tools::schemars::{self, JsonSchema};

#[derive(Deserialize, JsonSchema)]
struct Person {
    name: String,
}

/// Greet someone.
#[pi_tool]
async fn greet(
    /// Whom to greet.
    Person { name }: Person,
) -> String {
    name
}

fn main() {}
