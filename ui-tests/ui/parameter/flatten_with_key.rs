// A flattened argument has no name of its own.
use pi_tools::prelude::*;
use pi_tools::schemars::{self, JsonSchema};

#[derive(Deserialize, JsonSchema)]
struct Person {
    name: String,
}

/// Greet someone.
#[pi_tool]
async fn greet(#[arg(flatten, alias = "who", rename = "whom")] person: Person) -> String {
    person.name
}

fn main() {}
