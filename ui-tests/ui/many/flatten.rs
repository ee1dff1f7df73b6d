// A flattened argument with keys, beside another.
use pi_tools::prelude::*;
use pi_tools::schemars::{self, JsonSchema};

#[derive(Deserialize, JsonSchema)]
struct Person {
    name: String,
}

/// Greet someone.
#[pi_tool]
async fn greet(
    #[arg(flatten, default = 1, mutates)]
    #[serde(default)]
    person: Person,
    volume: u32,
) -> String {
    format!("{}{volume}", person.name)
}

fn main() {}
