//! The keys of every attribute: one row each. To add one, add its row here and its field to the struct above it; the
//! model says what it means.

use syn::{Expr, ExprRange, Ident, Lit, LitInt, LitStr, Path};

use super::{Key, Set};

/// The key that may stand more than once, as it does in serde's attributes.
pub(crate) const REPEATABLE: &str = "alias";

/// What was typed in `#[pi_tool(..)]`.
#[derive(Default)]
pub(crate) struct ToolArgs {
    pub(crate) name: Option<Set<LitStr>>,
    pub(crate) label: Option<Set<LitStr>>,
    pub(crate) description: Option<Set<LitStr>>,
    pub(crate) prompt_snippet: Option<Set<LitStr>>,
    pub(crate) guidelines: Option<Set<Vec<LitStr>>>,
    pub(crate) prepare: Option<Set<Path>>,
    pub(crate) execution: Option<Set<Word>>,
    pub(crate) read_only: Option<Set<bool>>,
    pub(crate) destructive: Option<Set<bool>>,
    pub(crate) idempotent: Option<Set<bool>>,
    pub(crate) open_world: Option<Set<bool>>,
    pub(crate) confirm: Option<Set<LitStr>>,
    pub(crate) timeout: Option<Set<LitStr>>,
    pub(crate) truncate: Option<Set<Word>>,
    pub(crate) max_lines: Option<Set<LitInt>>,
    pub(crate) max_bytes: Option<Set<LitInt>>,
    pub(crate) exposure: Option<Set<Word>>,
    pub(crate) namespace: Option<Set<LitStr>>,
    pub(crate) default_active: Option<Set<bool>>,
    pub(crate) overrides: Option<Set<LitStr>>,
    pub(crate) render_call: Option<Set<LitStr>>,
    pub(crate) render_result: Option<Set<LitStr>>,
    pub(crate) render_lines: Option<Set<LitInt>>,
    pub(crate) handle: Option<Set<Ident>>,
    pub(crate) register: Option<Set<bool>>,
    pub(crate) krate: Option<Set<Path>>,
}

/// One of the words that a key takes, as the name of a variant of the runtime's enum.
pub(crate) type Word = &'static str;

pub(crate) const TOOL: &[Key<ToolArgs>] = &[
    Key {
        name: "name",
        form: "\"name\"",
        doc: "The name that the model calls: letters, digits, `_` and `-`, at most 64. Default: what the tool overrides, or the function's name.",
        read: |tool, value| tool.name = value.text(),
    },
    Key {
        name: "label",
        form: "\"Name\"",
        doc: "The name that a person sees. Default: the name in words.",
        read: |tool, value| tool.label = value.text(),
    },
    Key {
        name: "description",
        form: "\"text\"",
        doc: "What the tool does, for the model. Default: the doc comment, all paragraphs.",
        read: |tool, value| tool.description = value.text(),
    },
    Key {
        name: "prompt_snippet",
        form: "\"one line\"",
        doc: "The tool's line in the `<tools>` section of Pi's system prompt. Default: none.",
        read: |tool, value| tool.prompt_snippet = value.text(),
    },
    Key {
        name: "guidelines",
        form: "[\"text\", \"text\"]",
        doc: "Rules for the `<rules>` section of Pi's system prompt. They are read among those of all tools, so each names the tool. Default: none.",
        read: |tool, value| tool.guidelines = value.texts(),
    },
    Key {
        name: "prepare",
        form: "path",
        doc: "A function `fn(serde_json::Value) -> serde_json::Value`, or to a `Result` of it, that changes the arguments before they are checked, by Pi as well. Default: none.",
        read: |tool, value| tool.prepare = value.path(),
    },
    Key {
        name: "execution",
        form: "\"sequential\"` or `\"parallel\"",
        doc: "How calls run beside others of one message. One sequential tool makes the whole message sequential. Default: the host's; with `&mut` state always sequential.",
        read: |tool, value| {
            tool.execution = value.choice(&[("sequential", "Sequential"), ("parallel", "Parallel")]);
        },
    },
    Key {
        name: "read_only",
        form: "true",
        doc: "The tool changes nothing. The value may be left out. Default: not said.",
        read: |tool, value| tool.read_only = value.flag(),
    },
    Key {
        name: "destructive",
        form: "true",
        doc: "What the tool changes may be lost. The value may be left out. Default: not said.",
        read: |tool, value| tool.destructive = value.flag(),
    },
    Key {
        name: "idempotent",
        form: "true",
        doc: "A second call with the same arguments changes nothing more. The value may be left out. Default: not said.",
        read: |tool, value| tool.idempotent = value.flag(),
    },
    Key {
        name: "open_world",
        form: "true",
        doc: "The tool reaches things outside of the machine. The value may be left out. Default: not said.",
        read: |tool, value| tool.open_world = value.flag(),
    },
    Key {
        name: "confirm",
        form: "\"Delete {path}?\"",
        doc: "The question that must be answered with yes before a call runs; `{argument}` stands for its value. Pi asks it in a dialog, the command line on a terminal, a program by its `Host`; where nobody can answer, the call is refused unless a `Policy` answers in advance. Default: none.",
        read: |tool, value| tool.confirm = value.text(),
    },
    Key {
        name: "timeout",
        form: "\"30s\"",
        doc: "How long a call may take, in `ms`, `s`, `m` or `h`; then it is dropped and fails. Waiting for states and files does not count. Needs a tokio runtime with a clock. Default: no limit.",
        read: |tool, value| tool.timeout = value.text(),
    },
    Key {
        name: "truncate",
        form: "\"head\"`, `\"tail\"` or `\"none\"",
        doc: "Which part of an output that is too long is kept; a notice names the file with all of it. Default: `\"head\"`.",
        read: |tool, value| tool.truncate = value.choice(&[("head", "Head"), ("tail", "Tail"), ("none", "None")]),
    },
    Key {
        name: "max_lines",
        form: "2000",
        doc: "How many lines of an output are kept. Default: 2000.",
        read: |tool, value| tool.max_lines = value.integer(),
    },
    Key {
        name: "max_bytes",
        form: "51200",
        doc: "How many bytes of an output are kept, whichever limit is met first. Default: 51200.",
        read: |tool, value| tool.max_bytes = value.integer(),
    },
    Key {
        name: "exposure",
        form: "\"direct\"`, `\"model-only\"`, `\"codemode\"`, `\"deferred\"` or `\"hidden\"",
        doc: "How the model reaches the tool in Pi. Default: Pi's, `\"direct\"`.",
        read: |tool, value| {
            tool.exposure = value.choice(&[
                ("direct", "Direct"),
                ("model-only", "ModelOnly"),
                ("codemode", "Codemode"),
                ("deferred", "Deferred"),
                ("hidden", "Hidden"),
            ]);
        },
    },
    Key {
        name: "namespace",
        form: "\"name\"",
        doc: "The group that the tool belongs to in Pi. Default: none.",
        read: |tool, value| tool.namespace = value.text(),
    },
    Key {
        name: "default_active",
        form: "false",
        doc: "Whether Pi offers the tool to the model without being told to. Default: Pi's, by the exposure.",
        read: |tool, value| tool.default_active = value.flag(),
    },
    Key {
        name: "overrides",
        form: "\"read\"",
        doc: "The built-in tool of Pi that this one stands for: `bash`, `edit`, `find`, `grep`, `ls`, `powershell`, `read` or `write`. It takes all arguments of the built-in, and returns its details (`pi_tools::builtin`). `cx.execute_builtin` calls the built-in. Default: none.",
        read: |tool, value| tool.overrides = value.text(),
    },
    Key {
        name: "render_call",
        form: "\"todo {action:accent} {text:dim}\"",
        doc: "How a call is drawn in Pi: `{argument}` stands for a value, `{argument.field}` for one within, `{argument:style}` says how it looks, in a colour of Pi's themes (`accent`, `muted`, `dim`, `success`, `warning`, `error`, ..), `bold`, `italic`, `underline`, `strikethrough`, `inverse`, or several with blanks between them. The text before the first placeholder looks like a tool's name. A value that is not there goes with the blank in front of it. Default: the host's, or what draws the tool that this one overrides.",
        read: |tool, value| tool.render_call = value.text(),
    },
    Key {
        name: "render_result",
        form: "\"{details.count} files\"",
        doc: "How a result is drawn in Pi, like a call: `{text}` stands for its text, `{details.key}` for a value of its details. The text is drawn where none of the values is there, while a call runs, and in the colour of errors when it failed. Default: as `render_call`.",
        read: |tool, value| tool.render_result = value.text(),
    },
    Key {
        name: "render_lines",
        form: "5",
        doc: "How many lines of what `render_result` draws are seen until the user expands it: the first, or the last with `truncate = \"tail\"`. Default: 10.",
        read: |tool, value| tool.render_lines = value.integer(),
    },
    Key {
        name: "handle",
        form: "Name",
        doc: "Names a unit struct that stands for the tool, for `Toolbox::builder().tool(Name)`. Default: none.",
        read: |tool, value| tool.handle = value.ident(),
    },
    Key {
        name: "register",
        form: "false",
        doc: "Whether `Toolbox::collect` finds the tool. Default: `true`.",
        read: |tool, value| tool.register = value.flag(),
    },
    Key {
        name: "crate",
        form: "path",
        doc: "Where `pi_tools` is, for a renamed or re-exported dependency. Default: `::pi_tools`.",
        read: |tool, value| tool.krate = value.path(),
    },
];

/// What was typed in `#[arg(..)]`.
#[derive(Default)]
pub(crate) struct ArgArgs {
    pub(crate) aliases: Vec<LitStr>,
    pub(crate) default: Option<Set<Expr>>,
    pub(crate) range: Option<Set<ExprRange>>,
    pub(crate) length: Option<Set<ExprRange>>,
    pub(crate) pattern: Option<Set<LitStr>>,
    pub(crate) examples: Option<Set<Vec<Lit>>>,
    pub(crate) rename: Option<Set<LitStr>>,
    pub(crate) flatten: Option<Set<bool>>,
    pub(crate) mutates: Option<Set<bool>>,
}

pub(crate) const ARG: &[Key<ArgArgs>] = &[
    Key {
        name: "alias",
        form: "\"oldName\"` or `[\"one\", \"two\"]",
        doc: "An old name that is still accepted. When both are present the old one is dropped.",
        read: |arg, value| arg.aliases.extend(value.text_or_texts()),
    },
    Key {
        name: "default",
        form: "10",
        doc: "The value when the model sends none: an expression of the argument's type, or a text. It is published.",
        read: |arg, value| arg.default = value.expression(),
    },
    Key {
        name: "range",
        form: "1..=50",
        doc: "The least and the greatest number; one of them may be left out. Published and enforced.",
        read: |arg, value| arg.range = value.range(),
    },
    Key {
        name: "length",
        form: "1..=200",
        doc: "The fewest and the most characters of a text, items of a list or entries of a map. Published and enforced.",
        read: |arg, value| arg.length = value.range(),
    },
    Key {
        name: "pattern",
        form: "\"^[a-z]+$\"",
        doc: "A regular expression, in ECMAScript's syntax, that a text matches somewhere. Published; Pi enforces it.",
        read: |arg, value| arg.pattern = value.text(),
    },
    Key {
        name: "examples",
        form: "[\"src/main.rs\", \"lib.rs\"]",
        doc: "Examples of the value. They stand in the description, which every provider takes.",
        read: |arg, value| arg.examples = value.literals(),
    },
    Key {
        name: "rename",
        form: "\"name\"",
        doc: "The name that the model uses. Default: the parameter's name.",
        read: |arg, value| arg.rename = value.text(),
    },
    Key {
        name: "flatten",
        form: "true",
        doc: "The fields of this struct, or of the variants of this enum with `#[serde(tag = \"..\")]`, are the arguments; it is the only one. The value may be left out.",
        read: |arg, value| arg.flatten = value.flag(),
    },
    Key {
        name: "mutates",
        form: "true",
        doc: "The call changes the file of this path, one call at a time: calls that change one file wait for each other before they begin. For a `ToolPath`, a path or a text, an `Option` of one or a list. The value may be left out.",
        read: |arg, value| arg.mutates = value.flag(),
    },
];

/// What was typed in `#[string_enum(..)]` on the enum.
#[derive(Default)]
pub(crate) struct StringEnumArgs {
    pub(crate) rename_all: Option<Set<LitStr>>,
    pub(crate) krate: Option<Set<Path>>,
}

pub(crate) const STRING_ENUM: &[Key<StringEnumArgs>] = &[
    Key {
        name: "rename_all",
        form: "\"kebab-case\"",
        doc: "The case of all values, by serde's names. Default: `snake_case`.",
        read: |args, value| args.rename_all = value.text(),
    },
    Key {
        name: "crate",
        form: "path",
        doc: "Where `pi_tools` is. Default: `::pi_tools`.",
        read: |args, value| args.krate = value.path(),
    },
];

/// What was typed in `#[string_enum(..)]` on a variant.
#[derive(Default)]
pub(crate) struct VariantArgs {
    pub(crate) rename: Option<Set<LitStr>>,
    pub(crate) aliases: Vec<LitStr>,
}

pub(crate) const STRING_ENUM_VARIANT: &[Key<VariantArgs>] = &[
    Key {
        name: "rename",
        form: "\"value\"",
        doc: "The variant's value.",
        read: |args, value| args.rename = value.text(),
    },
    Key {
        name: "alias",
        form: "\"value\"` or `[\"one\", \"two\"]",
        doc: "One more value that is accepted, but not published.",
        read: |args, value| args.aliases.extend(value.text_or_texts()),
    },
];

/// What was typed in `#[session_state(..)]`.
#[derive(Default)]
pub(crate) struct SessionStateArgs {
    pub(crate) key: Option<Set<LitStr>>,
    pub(crate) krate: Option<Set<Path>>,
}

pub(crate) const SESSION_STATE: &[Key<SessionStateArgs>] = &[
    Key {
        name: "key",
        form: "\"key\"",
        doc: "The key in the `details` of results. Default: the type's name in snake case.",
        read: |args, value| args.key = value.text(),
    },
    Key {
        name: "crate",
        form: "path",
        doc: "Where `pi_tools` is. Default: `::pi_tools`.",
        read: |args, value| args.krate = value.path(),
    },
];

/// What was typed in `#[session_entry(..)]`.
#[derive(Default)]
pub(crate) struct SessionEntryArgs {
    pub(crate) entry_type: Option<Set<LitStr>>,
    pub(crate) render: Option<Set<LitStr>>,
    pub(crate) krate: Option<Set<Path>>,
}

pub(crate) const SESSION_ENTRY: &[Key<SessionEntryArgs>] = &[
    Key {
        name: "type",
        form: "\"bookmark\"",
        doc: "The type of the entries in the session, `customType` in Pi. Default: the type's name in snake case.",
        read: |args, value| args.entry_type = value.text(),
    },
    Key {
        name: "render",
        form: "\"{title:accent} {url:dim}\"",
        doc: "How an entry is drawn in Pi: `{field}` stands for a value, with styles as in `render_call` of `#[pi_tool]`. Default: it is not drawn.",
        read: |args, value| args.render = value.text(),
    },
    Key {
        name: "crate",
        form: "path",
        doc: "Where `pi_tools` is. Default: `::pi_tools`.",
        read: |args, value| args.krate = value.path(),
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    fn section<T>(attribute: &str, place: &str, keys: &[Key<T>]) -> String {
        let rows: String =
            keys.iter().map(|key| format!("| `{} = {}` | {} |\n", key.name, key.form, key.doc)).collect();
        format!("`#[{attribute}(..)]` on {place}\n\n| key | meaning |\n| --- | --- |\n{rows}")
    }

    /// `keys.md` stands in the docs; run with `PI_TOOLS_BLESS=1` to write it anew.
    #[test]
    fn the_reference_is_the_table() {
        let reference = [
            section("pi_tool", "a function", TOOL),
            section("arg", "a parameter that is an argument", ARG),
            section("string_enum", "an enum with `derive(StringEnum)`", STRING_ENUM),
            section("string_enum", "a variant of it", STRING_ENUM_VARIANT),
            section("session_state", "a type with `derive(SessionState)`", SESSION_STATE),
            section("session_entry", "a type with `derive(SessionEntry)`", SESSION_ENTRY),
        ]
        .join("\n");
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/keys.md");
        if std::env::var_os("PI_TOOLS_BLESS").is_some() {
            std::fs::write(path, &reference).unwrap();
        }
        assert_eq!(std::fs::read_to_string(path).unwrap(), reference, "run again with PI_TOOLS_BLESS=1");
    }
}
