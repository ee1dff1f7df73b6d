// A choice, a state and a tool with them, each with a mistake.
use pi_tools::prelude::*;

#[derive(Clone, Copy, StringEnum)]
#[string_enum(case = "kebab-case")]
enum Mode {
    Fast,
    Slow,
}

#[derive(Clone, Default, Serialize, Deserialize, SessionState)]
#[session_state(key = "")]
struct Count(u32);

/// Count calls.
#[pi_tool(timeout = "5")]
async fn count(
    /// How.
    mode: Mode,
    count: &mut Count,
) -> String {
    format!("{mode}{}", count.0)
}

fn main() {}
