// State is of one type, which no trait object is.
use pi_tools::prelude::*;

/// Show something.
#[pi_tool]
async fn show(value: &mut dyn Send) -> String {
    let _ = value;
    String::new()
}

fn main() {}
