// Only structs and enums: no unions.
use pi_tools::SessionEntry;

#[derive(SessionEntry)]
union Bookmark {
    a: u32,
}

fn main() {}
