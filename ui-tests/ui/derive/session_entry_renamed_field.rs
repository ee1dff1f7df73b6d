// A field has the name that serde gives it.
use pi_tools::SessionEntry;
use pi_tools::prelude::*;

#[derive(Serialize, SessionEntry)]
#[session_entry(render = "{address}")]
struct Bookmark {
    #[serde(rename = "url")]
    address: String,
}

fn main() {}
