// A variant that is not there: one error, at it.
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
    #[arg(default = Mode::Medium)]
    value: Mode,
) -> String {
    let _ = value;
    String::new()
}

fn main() {}
