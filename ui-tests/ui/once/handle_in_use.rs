// The handle of a tool with a mistake is still there.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(handle = Greet, colour = "red")]
async fn greet() -> String {
    String::new()
}

fn main() {
    let _ = Toolbox::builder().tool(Greet).build();
}
