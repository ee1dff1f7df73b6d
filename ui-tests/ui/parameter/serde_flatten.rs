// serde's `flatten` is not known to hosts: the message shows our key.
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
    #[serde(flatten)]
    person: Person,
) -> String {
    person.name
}

fn main() {}
