// A choice with a wrong key is still one: used in a tool, printed and parsed.
use pi_tools::prelude::*;

#[derive(Clone, Copy, StringEnum)]
#[string_enum(renameall = "kebab-case")]
enum Mode {
    Fast,
    Slow,
}

/// Try something.
#[pi_tool]
async fn attempt(
    /// How.
    #[arg(default = Mode::Fast)]
    mode: Mode,
) -> String {
    mode.to_string()
}

fn main() {
    let mode: Mode = "slow".parse().unwrap();
    println!("{mode} {} {}", mode.as_str(), Mode::VALUES.len());
}
