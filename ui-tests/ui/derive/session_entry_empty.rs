// A type and a template without a text.
use pi_tools::SessionEntry;
use pi_tools::prelude::*;

#[derive(Serialize, SessionEntry)]
#[session_entry(type = "", render = " ")]
struct Bookmark {
    title: String,
    url: String,
}

fn main() {}
