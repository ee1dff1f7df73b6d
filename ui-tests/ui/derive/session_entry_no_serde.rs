// An entry is stored: it needs serde's trait.
use pi_tools::SessionEntry;

#[derive(SessionEntry)]
struct Bookmark {
    title: String,
}

fn main() {}
