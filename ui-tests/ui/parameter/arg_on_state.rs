// `#[arg(..)]` on session state.
use pi_tools::prelude::*;

#[derive(Clone, Default, Serialize, Deserialize, SessionState)]
struct Count(u32);

/// Show something.
#[pi_tool]
async fn show(#[arg(alias = "old")] value: &mut Count) -> String {
    let _ = value;
    String::new()
}

fn main() {}
