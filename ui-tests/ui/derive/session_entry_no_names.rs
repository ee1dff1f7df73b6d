// Fields without names.
use pi_tools::SessionEntry;
use pi_tools::prelude::*;

#[derive(Serialize, SessionEntry)]
#[session_entry(render = "{0}")]
struct Bookmark(String);

fn main() {}
