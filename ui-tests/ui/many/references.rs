// References that cannot be, and attributes on them.
use pi_tools::prelude::*;

#[derive(Clone, Default, Serialize, Deserialize, SessionState)]
struct Count(u32);

/// Show something.
#[pi_tool]
async fn show(
    any: &dyn Send,
    #[arg(alias = "old")] kind: &impl Send,
    forever: &'static u32,
    #[serde(default)] count: &mut Count,
) -> String {
    let _ = (any, kind);
    (count.0 + forever).to_string()
}

fn main() {}
