// The application provides a value of one type, not of an `impl`.
use pi_tools::prelude::*;

/// Show something.
#[pi_tool]
async fn show(value: &impl Send) -> String {
    let _ = value;
    String::new()
}

fn main() {}
