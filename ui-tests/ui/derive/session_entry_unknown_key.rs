// A misspelled key.
use pi_tools::SessionEntry;
use pi_tools::prelude::*;

#[derive(Serialize, SessionEntry)]
#[session_entry(typ = "bookmark")]
struct Bookmark {
    title: String,
    url: String,
}

fn main() {}
