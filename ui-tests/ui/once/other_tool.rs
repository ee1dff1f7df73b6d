// A mistake in one tool leaves the other alone.
use pi_tools::prelude::*;

/// Greet someone.
#[pi_tool(label = "")]
async fn greet() -> String {
    String::new()
}

/// Part from someone.
#[pi_tool(handle = Part)]
async fn part() -> String {
    greet().await
}

fn main() {
    let _ = Toolbox::builder().tool(Part).build();
}
