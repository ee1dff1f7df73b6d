// A placeholder that is no field.
use pi_tools::SessionEntry;
use pi_tools::prelude::*;

#[derive(Serialize, SessionEntry)]
#[session_entry(render = "{tilte:accent} {address}")]
struct Bookmark {
    title: String,
    url: String,
}

fn main() {}
