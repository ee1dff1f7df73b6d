// A flattened argument stands alone.
use pi_tools::prelude::*;
use pi_tools::schemars::{self, JsonSchema};

#[derive(Deserialize, JsonSchema)]
struct Person {
    name: String,
}

/// Greet someone.
#[pi_tool]
async fn greet(
    #[arg(flatten)] person: Person,
    /// How loud.
    volume: u32,
) -> String {
    format!("{}{volume}", person.name)
}

fn main() {}
