//! The keys of every attribute: one row each. To add one, add its row here and its field to the struct above it; the
//! model says what it means.

use syn::{Ident, LitStr, Path};

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
    pub(crate) execution: Option<Set<Execution>>,
    pub(crate) handle: Option<Set<Ident>>,
    pub(crate) register: Option<Set<bool>>,
    pub(crate) krate: Option<Set<Path>>,
}

/// How calls run beside others.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Execution {
    Sequential,
    Parallel,
}

pub(crate) const TOOL: &[Key<ToolArgs>] = &[
    Key {
        name: "name",
        form: "\"name\"",
        doc: "The name that the model calls: letters, digits, `_` and `-`, at most 64. Default: the function's name.",
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
        name: "execution",
        form: "\"sequential\"` or `\"parallel\"",
        doc: "How calls run beside others of one message. One sequential tool makes the whole message sequential. Default: the host's; with `&mut` state always sequential.",
        read: |tool, value| {
            let choices = [("sequential", Execution::Sequential), ("parallel", Execution::Parallel)];
            tool.execution = value.choice(&choices);
        },
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
}

pub(crate) const ARG: &[Key<ArgArgs>] = &[Key {
    name: "alias",
    form: "\"oldName\"` or `[\"one\", \"two\"]",
    doc: "An old name that is still accepted. When both are present the old one is dropped.",
    read: |arg, value| arg.aliases.extend(value.text_or_texts()),
}];

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

#[cfg(test)]
mod tests {
    use super::*;

    fn section<T>(attribute: &str, keys: &[Key<T>]) -> String {
        let rows: String =
            keys.iter().map(|key| format!("| `{} = {}` | {} |\n", key.name, key.form, key.doc)).collect();
        format!("`#[{attribute}]`\n\n| key | meaning |\n| --- | --- |\n{rows}")
    }

    /// `keys.md` stands in the docs; run with `PI_TOOLS_BLESS=1` to write it anew.
    #[test]
    fn the_reference_is_the_table() {
        let reference = [
            section("pi_tool(..)", TOOL),
            section("arg(..)", ARG),
            section("string_enum(..)` on the enum, `#[derive(StringEnum)", STRING_ENUM),
            section("string_enum(..)` on a variant, `#[derive(StringEnum)", STRING_ENUM_VARIANT),
            section("session_state(..)` with `#[derive(SessionState)", SESSION_STATE),
        ]
        .join("\n");
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/keys.md");
        if std::env::var_os("PI_TOOLS_BLESS").is_some() {
            std::fs::write(path, &reference).unwrap();
        }
        assert_eq!(std::fs::read_to_string(path).unwrap(), reference, "run again with PI_TOOLS_BLESS=1");
    }
}
