// `crate` takes a path, no text.
use pi_tools::SessionEntry;
use pi_tools::prelude::*;

#[derive(Serialize, SessionEntry)]
#[session_entry(crate = "pi_tools")]
struct Bookmark {
    title: String,
    url: String,
}

fn main() {}
