// What is held while the tool waits must be `Send`.
use pi_tools::prelude::*;
use std::rc::Rc;

/// Wait for something.
#[pi_tool]
async fn wait() -> String {
    let text = Rc::new(String::new());
    std::future::ready(()).await;
    text.to_string()
}

fn main() {}
