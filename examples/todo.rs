//! A tool with state: the list lives in the session, follows its branches and survives restarts.

use pi_tools::prelude::*;

/// What to do with the list.
#[derive(Clone, Copy, StringEnum)]
enum Action {
    /// Show every item.
    List,
    /// Append one item.
    Add,
    /// Tick one item off.
    Done,
}

/// The open items.
#[derive(Clone, Default, Serialize, Deserialize, SessionState)]
struct Todos(Vec<String>);

/// Manage the project's to-do list.
#[pi_tool(
    label = "To-do",
    prompt_snippet = "Manage project to-dos: list, add, done",
    guidelines = ["Use todo to plan work; do not edit to-do files directly"],
    render_call = "todo {action:accent} {text:dim}",
    render_result = "{text}",
    render_lines = 5,
)]
async fn todo(
    /// What to do.
    #[arg(alias = "oldAction")]
    action: Action,
    /// add: the item's text. done: its number, or part of its text.
    text: Option<String>,
    todos: &mut Todos,
    cx: &ToolContext,
) -> Result<String, ToolError> {
    if cx.is_cancelled() {
        return Err(ToolError::new("Operation aborted"));
    }
    cx.update(format!("working: {action}"));
    match action {
        Action::List if todos.0.is_empty() => Ok("The list is empty.".to_owned()),
        Action::List => Ok(numbered(&todos.0)),
        Action::Add => {
            let text = required(text, action)?;
            cx.ui().notify(format!("To-do added: {text}"), Level::Info);
            let said = format!("Added: {text} ({} in all)", todos.0.len() + 1);
            todos.0.push(text);
            Ok(said)
        }
        Action::Done => {
            let text = required(text, action)?;
            let index =
                find(&todos.0, &text).ok_or_else(|| ToolError::new(format!("text: no item matches {text:?}")))?;
            let item = todos.0.remove(index);
            Ok(format!("Done: {item} ({} left)", todos.0.len()))
        }
    }
}

fn required(text: Option<String>, action: Action) -> Result<String, ToolError> {
    text.filter(|text| !text.trim().is_empty())
        .ok_or_else(|| ToolError::new(format!("text: required when action is \"{action}\"")))
}

/// By number, else by a part of the text.
fn find(items: &[String], text: &str) -> Option<usize> {
    let by_number = text.trim().parse().ok().and_then(|number: usize| number.checked_sub(1));
    by_number.filter(|index| *index < items.len()).or_else(|| items.iter().position(|item| item.contains(text)))
}

fn numbered(items: &[String]) -> String {
    let lines: Vec<String> = items.iter().enumerate().map(|(index, item)| format!("{}. {item}", index + 1)).collect();
    lines.join("\n")
}

pi_tools::main!();
pi_tools::check!();

#[cfg(test)]
mod tests {
    use super::*;

    /// The function stays a function.
    #[test]
    fn done_takes_a_number_or_a_part() {
        let items = ["buy tea".to_owned(), "write 2 letters".to_owned()];
        assert_eq!(find(&items, "2"), Some(1));
        assert_eq!(find(&items, "tea"), Some(0));
        assert_eq!(find(&items, "3"), None);
        assert_eq!(find(&[], "1"), None);
    }
}
