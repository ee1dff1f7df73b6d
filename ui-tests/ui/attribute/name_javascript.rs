// Names that every JavaScript object has a property of.
use pi_tools::prelude::*;

/// Show something.
#[pi_tool(name = "toString")]
async fn show() -> String {
    String::new()
}

/// Show the prototype.
#[pi_tool(name = "__proto__")]
async fn prototype() -> String {
    String::new()
}

fn main() {}
