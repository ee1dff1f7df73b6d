// A text that is no value of the enum.
use pi_tools::prelude::*;

#[derive(Clone, Copy, StringEnum)]
enum Mode {
    Fast,
    Slow,
}

/// Try something.
#[pi_tool]
async fn attempt(
    /// A value.
    #[arg(default = "medium")]
    value: Mode,
) -> String {
    let _ = value;
    String::new()
}

fn main() {}
