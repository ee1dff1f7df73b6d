// Generic state: the derive says so, and the tool that takes it has no state.
use pi_tools::prelude::*;

#[derive(Clone, Default, Serialize, Deserialize, SessionState)]
struct List<T>(Vec<T>);

/// Count items.
#[pi_tool]
async fn count(list: &mut List<u32>) -> String {
    list.0.len().to_string()
}

fn main() {}
