// A style that no theme has.
use pi_tools::SessionEntry;
use pi_tools::prelude::*;

#[derive(Serialize, SessionEntry)]
#[session_entry(render = "{title:blod}")]
struct Bookmark {
    title: String,
    url: String,
}

fn main() {}
