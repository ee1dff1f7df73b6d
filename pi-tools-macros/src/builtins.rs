//! Pi's built-in tools: the arguments that an override must take.

/// A built-in tool.
pub(crate) struct Builtin {
    pub(crate) name: &'static str,
    pub(crate) arguments: &'static [&'static str],
    /// The type of its details in `pi_tools::builtin`.
    pub(crate) details: &'static str,
}

/// Measured against Pi 1.6.0; `tests/vectors/pi/builtins.json` has the whole definitions.
pub(crate) const BUILTINS: &[Builtin] = &[
    Builtin { name: "bash", arguments: &["command", "timeout"], details: "BashDetails" },
    Builtin { name: "edit", arguments: &["path", "edits"], details: "EditDetails" },
    Builtin { name: "find", arguments: &["pattern", "path", "limit"], details: "FindDetails" },
    Builtin {
        name: "grep",
        arguments: &["pattern", "path", "glob", "ignoreCase", "literal", "context", "limit"],
        details: "GrepDetails",
    },
    Builtin { name: "ls", arguments: &["path", "limit"], details: "LsDetails" },
    Builtin { name: "powershell", arguments: &["command", "timeout"], details: "BashDetails" },
    Builtin { name: "read", arguments: &["path", "offset", "limit"], details: "ReadDetails" },
    Builtin { name: "write", arguments: &["path", "content"], details: "WriteDetails" },
];
