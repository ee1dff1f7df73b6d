//! The list of all tools, for a file under version control: what models are told does not change by accident.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::spec::{Execution, Rename};
use crate::tool::ToolRef;
use crate::toolbox::Toolbox;

/// The variable of the environment that has files written anew.
const BLESS: &str = "PI_TOOLS_BLESS";

/// How the first line of a tool begins.
const TOOL: &str = "=== ";

/// All that models and hosts are told of the tools, as a text that changes only if that does.
///
/// ```
/// # use pi_tools::prelude::*;
/// /// Greet someone by name.
/// #[pi_tool(handle = Greet, register = false, read_only = true)]
/// fn greet() {}
///
/// let toolbox = Toolbox::builder().tool(Greet).build().unwrap();
/// let list = pi_tools::testing::tool_list(&toolbox);
/// assert!(list.starts_with("=== greet (Greet)\n\nGreet someone by name.\n\nread only: true\n\nparameters: {\n"), "{list}");
/// ```
///
/// # Panics
///
/// When a tool cannot be published: [`Toolbox::verify`] says why.
#[track_caller]
#[must_use]
pub fn tool_list(toolbox: &Toolbox) -> String {
    if let Err(error) = toolbox.verify() {
        panic!("{error}");
    }
    toolbox.tools().map(describe).collect::<Vec<_>>().join("\n")
}

/// Compares the [list of the tools](tool_list) with a file. With `PI_TOOLS_BLESS=1` in the environment it writes the file
/// instead. A relative path is meant from the package's folder, where cargo runs its tests.
///
/// ```no_run
/// # use pi_tools::prelude::*;
/// // In a test:
/// pi_tools::testing::assert_tool_list(&Toolbox::collect().unwrap(), "tests/tools.txt");
/// ```
///
/// # Panics
///
/// When the file is another or missing, with the first difference and how to accept it; when it cannot be written; and as
/// [`tool_list`].
#[track_caller]
pub fn assert_tool_list(toolbox: &Toolbox, path: impl AsRef<Path>) {
    let path = path.as_ref();
    let actual = tool_list(toolbox);
    if std::env::var_os(BLESS).is_some_and(|value| value == "1") {
        if let Err(error) = write(path, &actual) {
            panic!("{}: {error}", path.display());
        }
        return;
    }
    let accept = format!("if this is what models are to be told, run the test with {BLESS}=1, which writes the file");
    match fs::read_to_string(path) {
        // Git on Windows may have other line ends.
        Ok(expected) => {
            if let Some(difference) = difference(&expected.replace("\r\n", "\n"), &actual) {
                panic!("the tools are not those of {}:\n{difference}\n{accept}", path.display());
            }
        }
        Err(error) => panic!("{}: {error}\n{accept}", path.display()),
    }
}

fn write(path: &Path, text: &str) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, text)
}

/// The first line that is not the same, and of which tool.
fn difference(expected: &str, actual: &str) -> Option<String> {
    if expected == actual {
        return None;
    }
    let (mut old, mut new) = (expected.lines(), actual.lines());
    let mut tool = "";
    for number in 1.. {
        match (old.next(), new.next()) {
            (None, None) => break,
            (before, after) if before == after => tool = after.filter(|line| line.starts_with(TOOL)).unwrap_or(tool),
            (before, after) => {
                let show = |sign, line: Option<&str>| line.map_or_else(String::new, |line| format!("\n{sign} {line}"));
                let tool = tool.trim_start_matches(TOOL);
                let place = if tool.is_empty() { format!("line {number}") } else { format!("line {number}, {tool}") };
                return Some(format!("{place}:{}{}", show('-', before), show('+', after)));
            }
        }
    }
    Some("the end of the last line".to_owned())
}

fn describe(tool: ToolRef<'_>) -> String {
    let spec = tool.spec();
    let mut text = format!("{TOOL}{} ({})\n\n{}\n", spec.name, spec.label, tool.description());
    let mut facts = String::new();
    let mut line = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            let _ = write!(facts, "\n{name}: {value}");
        }
    };
    let owned = |text: Option<&str>| text.map(str::to_owned);
    let flag = |flag: Option<bool>| flag.map(|flag| flag.to_string());
    line("snippet", owned(spec.prompt_snippet));
    for guideline in spec.guidelines {
        line("guideline", owned(Some(guideline)));
    }
    line("read only", flag(spec.read_only));
    line("destructive", flag(spec.destructive));
    line("idempotent", flag(spec.idempotent));
    line("open world", flag(spec.open_world));
    line("execution", owned(tool.execution().map(Execution::as_str)));
    line("confirm", owned(spec.confirm));
    line("timeout", spec.timeout.map(|timeout| format!("{timeout:?}")));
    line("exposure", spec.exposure.map(|exposure| format!("{exposure:?}")));
    line("namespace", owned(spec.namespace));
    line("active by default", flag(spec.default_active));
    line("overrides", owned(spec.overrides));
    line("call drawn as", owned(spec.render_call));
    line("result drawn as", owned(spec.render_result));
    line("lines of it", spec.render_result.map(|_| spec.render_lines.to_string()));
    for key in tool.state_keys() {
        line("session state", owned(Some(key)));
    }
    for Rename { from, to } in spec.renames {
        line("alias", Some(format!("{from} for {to}")));
    }
    if let Ok(parameters) = tool.parameters() {
        for alias in parameters.aliases() {
            line("alias", Some(format!("{} for {} of {}", alias.from, alias.to, alias.property)));
        }
        if !facts.is_empty() {
            let _ = writeln!(text, "{facts}");
        }
        let _ = write!(text, "\nparameters: {:#}\n", parameters.schema());
    }
    if let Ok(Some(schema)) = tool.output_schema() {
        let _ = write!(text, "\noutput: {schema:#}\n");
    }
    text
}
