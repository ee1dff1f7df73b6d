// The application provides a value of one type: the message shows an `Arc`.
use pi_tools::prelude::*;

/// Show something.
#[pi_tool]
async fn show(value: &dyn Send) -> String {
    let _ = value;
    String::new()
}

fn main() {}
