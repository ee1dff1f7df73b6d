// The attribute takes a list in parentheses.
use pi_tools::SessionEntry;
use pi_tools::prelude::*;

#[derive(Serialize, SessionEntry)]
#[session_entry = "bookmark"]
struct Bookmark {
    title: String,
    url: String,
}

fn main() {}
