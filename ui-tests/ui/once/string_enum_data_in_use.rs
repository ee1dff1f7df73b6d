// A variant with data: its use in a tool is no second error.
use pi_tools::prelude::*;

#[derive(Clone, StringEnum)]
enum Action {
    List,
    Add { text: String },
}

/// Keep notes.
#[pi_tool]
async fn notes(
    /// What to do.
    action: Action,
) -> String {
    match action {
        Action::List => action.to_string(),
        Action::Add { text } => text,
    }
}

fn main() {}
