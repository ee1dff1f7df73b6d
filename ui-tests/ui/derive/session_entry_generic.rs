// Entries of one type are drawn one way.
use pi_tools::SessionEntry;
use pi_tools::prelude::*;

#[derive(Serialize, SessionEntry)]
#[session_entry(render = "{title}")]
struct Bookmark<T> {
    title: T,
}

fn main() {}
