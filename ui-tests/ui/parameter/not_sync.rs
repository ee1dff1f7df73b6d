// A value that the application provides is `Send` and `Sync`.
use pi_tools::prelude::*;
use std::rc::Rc;

/// Show something.
#[pi_tool]
async fn show(value: &Rc<u8>) -> String {
    let _ = value;
    String::new()
}

fn main() {}
