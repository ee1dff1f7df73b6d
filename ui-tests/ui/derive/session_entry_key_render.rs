// `render` takes a text.
use pi_tools::SessionEntry;
use pi_tools::prelude::*;

#[derive(Serialize, SessionEntry)]
#[session_entry(render = [title])]
struct Bookmark {
    title: String,
    url: String,
}

fn main() {}
