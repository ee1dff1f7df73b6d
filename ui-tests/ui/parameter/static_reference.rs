// The value lives as long as the call: no `'static`.
use pi_tools::prelude::*;

/// Show something.
#[pi_tool]
async fn show(value: &'static u32) -> String {
    let _ = value;
    String::new()
}

fn main() {}
