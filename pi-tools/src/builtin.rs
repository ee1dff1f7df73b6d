//! Pi's eight built-in tools: the types of their arguments and of their details, for tools that override one.
//!
//! Pi's renderers and its session read these details, so an override returns the same: `ToolOutput<ReadDetails>` for
//! `overrides = "read"`. It takes the same arguments, too; where Pi has a number, it may take an integer. Measured
//! against Pi 1.6.0.

use std::path::Path;

use schemars::{JsonSchema, Schema, schema_for};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::output::{Json, ToolOutput};

macro_rules! arguments {
    ($($(#[$doc:meta])* $name:ident {
        required { $($(#[$field_doc:meta])* $field:ident: $ty:ty,)* }
        optional { $($(#[$optional_doc:meta])* $optional:ident: $optional_ty:ty,)* }
    })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "camelCase")]
        pub struct $name {
            $($(#[$field_doc])* pub $field: $ty,)*
            $($(#[$optional_doc])* #[serde(skip_serializing_if = "Option::is_none")] pub $optional: Option<$optional_ty>,)*
        }
    )*};
}

arguments! {
    /// Arguments of `read`.
    ReadArguments {
        required {
            /// The file.
            path: String,
        }
        optional {
            /// The first line, from 1.
            offset: f64,
            /// How many lines at most.
            limit: f64,
        }
    }
    /// Arguments of `bash` and `powershell`.
    BashArguments {
        required {
            /// The command.
            command: String,
        }
        optional {
            /// How many seconds it may take.
            timeout: f64,
        }
    }
    /// Arguments of `edit`.
    EditArguments {
        required {
            /// The file.
            path: String,
            /// The replacements, each of a text of the original file.
            edits: Vec<Edit>,
        }
        optional {}
    }
    /// One replacement of `edit`.
    Edit {
        required {
            /// The text that is there, once.
            old_text: String,
            /// The text in its place.
            new_text: String,
        }
        optional {}
    }
    /// Arguments of `write`.
    WriteArguments {
        required {
            /// The file.
            path: String,
            /// What is written.
            content: String,
        }
        optional {}
    }
    /// Arguments of `grep`.
    GrepArguments {
        required {
            /// What is searched for.
            pattern: String,
        }
        optional {
            /// The folder or file.
            path: String,
            /// Which files.
            glob: String,
            /// Whether case does not matter.
            ignore_case: bool,
            /// Whether the pattern is a text and no regular expression.
            literal: bool,
            /// How many lines around a match are shown.
            context: f64,
            /// How many matches at most.
            limit: f64,
        }
    }
    /// Arguments of `find`.
    FindArguments {
        required {
            /// Which files.
            pattern: String,
        }
        optional {
            /// The folder.
            path: String,
            /// How many results at most.
            limit: f64,
        }
    }
    /// Arguments of `ls`.
    LsArguments {
        required {}
        optional {
            /// The folder.
            path: String,
            /// How many entries at most.
            limit: f64,
        }
    }
}

/// The schema of a built-in's arguments.
///
/// ```
/// let schema = pi_tools::builtin::parameters("read").unwrap();
/// assert_eq!(schema.get("required").unwrap(), &serde_json::json!(["path"]));
/// assert!(pi_tools::builtin::parameters("greet").is_none());
/// ```
#[must_use]
pub fn parameters(tool: &str) -> Option<Schema> {
    Some(match tool {
        "bash" | "powershell" => schema_for!(BashArguments),
        "edit" => schema_for!(EditArguments),
        "find" => schema_for!(FindArguments),
        "grep" => schema_for!(GrepArguments),
        "ls" => schema_for!(LsArguments),
        "read" => schema_for!(ReadArguments),
        "write" => schema_for!(WriteArguments),
        _ => return None,
    })
}

/// What `edit` takes in place of its arguments: one replacement for a list of them, the list as a JSON text, or the two
/// texts of a replacement beside the path. For `prepare` of a tool that overrides it.
///
/// ```
/// use pi_tools::builtin::prepare_edit;
/// use serde_json::json;
///
/// let edits = json!([{"oldText": "a", "newText": "b"}]);
/// assert_eq!(prepare_edit(json!({"path": "x", "oldText": "a", "newText": "b"})), json!({"path": "x", "edits": edits}));
/// assert_eq!(prepare_edit(json!({"path": "x", "edits": edits.to_string()})), json!({"path": "x", "edits": edits}));
/// ```
#[must_use]
pub fn prepare_edit(mut arguments: Value) -> Value {
    let Value::Object(map) = &mut arguments else { return arguments };
    if let Some(text) = map.get("edits").and_then(Value::as_str)
        && let Ok(list @ Value::Array(_)) = serde_json::from_str(text)
    {
        map.insert("edits".into(), list);
    }
    let is_edit = |value: &Value| value["oldText"].is_string() && value["newText"].is_string();
    if let Some(edit) = map.get("edits").filter(|edits| is_edit(edits)) {
        let list = vec![edit.clone()];
        map.insert("edits".into(), list.into());
    }
    if let (Some(Value::String(_)), Some(Value::String(_))) = (map.get("oldText"), map.get("newText")) {
        let edit: Map<String, Value> =
            ["oldText", "newText"].into_iter().filter_map(|name| map.shift_remove_entry(name)).collect();
        match map.entry("edits").or_insert_with(|| Value::Array(Vec::new())) {
            Value::Array(edits) => edits.push(edit.into()),
            other => *other = vec![Value::from(edit)].into(),
        }
    }
    arguments
}

/// How a text was cut.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Truncation {
    /// What is left.
    pub content: String,
    /// Whether something is missing.
    pub truncated: bool,
    /// The limit that was met: `lines` or `bytes`.
    pub truncated_by: Option<String>,
    /// Lines of the whole text.
    pub total_lines: u64,
    /// Bytes of the whole text.
    pub total_bytes: u64,
    /// Whole lines that are left.
    pub output_lines: u64,
    /// Bytes that are left.
    pub output_bytes: u64,
    /// Whether the last line that is left is cut.
    pub last_line_partial: bool,
    /// Whether the first line alone is too long.
    pub first_line_exceeds_limit: bool,
    /// The limit in lines.
    pub max_lines: u64,
    /// The limit in bytes.
    pub max_bytes: u64,
}

/// What the details of a built-in say of an output that was cut, and that stands as a whole in a file.
pub(crate) fn truncation_details(tool: &str, truncation: &Truncation, file: Option<&Path>) -> Map<String, Value> {
    let truncation = || Some(("truncation".to_owned(), serde_json::to_value(truncation).ok()?));
    let file = || Some(("fullOutputPath".to_owned(), file?.to_string_lossy().into()));
    match tool {
        "bash" | "powershell" => [truncation(), file()].into_iter().flatten().collect(),
        "find" | "grep" | "ls" | "read" => truncation().into_iter().collect(),
        _ => Map::new(),
    }
}

macro_rules! details {
    ($($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $ty:ty,)* })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(rename_all = "camelCase")]
        pub struct $name {
            $($(#[$field_doc])* #[serde(default, skip_serializing_if = "Option::is_none")] pub $field: Option<$ty>,)*
        }
    )*};
}

details! {
    /// Details of `read`.
    ReadDetails {
        /// How the text was cut.
        truncation: Truncation,
        /// The model that was selected when an image was read, if it takes none.
        image_unsupported_by_model: String,
    }
    /// Details of `bash` and `powershell`.
    BashDetails {
        /// How the output was cut.
        truncation: Truncation,
        /// The file with the whole output.
        full_output_path: String,
    }
    /// Details of `grep`.
    GrepDetails {
        /// How the output was cut.
        truncation: Truncation,
        /// The limit in matches, if it was met.
        match_limit_reached: u64,
        /// Whether long lines were cut.
        lines_truncated: bool,
    }
    /// Details of `find`.
    FindDetails {
        /// How the output was cut.
        truncation: Truncation,
        /// The limit in results, if it was met.
        result_limit_reached: u64,
    }
    /// Details of `ls`.
    LsDetails {
        /// How the output was cut.
        truncation: Truncation,
        /// The limit in entries, if it was met.
        entry_limit_reached: u64,
    }
}

/// Details of `edit`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EditDetails {
    /// The changes, as a person reads them.
    pub diff: String,
    /// The changes, as a unified patch.
    pub patch: String,
    /// The line of the first change in the new file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_changed_line: Option<u64>,
}

/// Details of `write`: none.
pub type WriteDetails = ();

/// A result with the details that the built-in tool has.
#[diagnostic::on_unimplemented(
    message = "a tool that overrides a built-in returns the built-in's details: `ToolOutput<{D}>`",
    label = "other details, or none",
    note = "Pi's renderers and its session read them: return `ToolOutput<{D}>`, or a `Result` of it"
)]
pub trait HasDetails<D> {}

impl<D> HasDetails<D> for ToolOutput<D> {}
impl HasDetails<()> for String {}
impl HasDetails<()> for &str {}
impl HasDetails<()> for () {}

#[diagnostic::do_not_recommend]
impl<T: HasDetails<D>, E, D> HasDetails<D> for Result<T, E> {}

#[diagnostic::do_not_recommend]
impl<O: HasDetails<D>, T, D> HasDetails<D> for (O, Json<T>) {}

/// For derived code: compiles for a result with these details.
#[doc(hidden)]
pub fn check_details<D, T: HasDetails<D>>(_: &T) {}
