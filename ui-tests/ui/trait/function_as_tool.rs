// A toolbox takes the handle, not the function.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(handle = Greet)]
async fn greet() -> String {
    String::new()
}

fn main() {
    let _ = Toolbox::builder().tool(greet);
}
