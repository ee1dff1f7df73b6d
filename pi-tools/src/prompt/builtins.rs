//! What Pi's built-in tools say in the prompt, in Pi's words.

use super::PromptTool;

/// The built-in tools that are active in Pi, unless it is told otherwise.
pub const DEFAULT_BUILTINS: [&str; 4] = ["read", "bash", "edit", "write"];

const SESSION_VARIABLES: &str = "You can inspect PI_* environment variables for current model and session details.";

const BUILTINS: [(&str, &str, &[&str]); 8] = [
    ("read", "Read file contents", &["Use read to examine files instead of cat or sed."]),
    ("bash", "Execute bash commands (ls, grep, find, etc.)", &[SESSION_VARIABLES]),
    ("powershell", "Execute PowerShell commands", &[SESSION_VARIABLES]),
    (
        "edit",
        "Make precise file edits with exact text replacement, including multiple disjoint edits in one call",
        &[
            "Use edit for targeted changes. Batch changes to one file in a single call.",
            "Each edits[].oldText must exactly and uniquely match the original file. Keep matches short and \
             non-overlapping; merge nearby changes without including large unchanged regions.",
        ],
    ),
    ("write", "Create or overwrite files", &["Use write only for new files or complete rewrites."]),
    ("grep", "Search file contents for patterns (respects .gitignore)", &[]),
    ("find", "Find files by glob pattern (respects .gitignore)", &[]),
    ("ls", "List directory contents", &[]),
];

pub(super) fn builtins<'a>() -> impl Iterator<Item = PromptTool<'a>> {
    BUILTINS.into_iter().map(|(name, snippet, guidelines)| PromptTool {
        name,
        snippet: Some(snippet),
        guidelines: guidelines.to_vec(),
        ..PromptTool::default()
    })
}
