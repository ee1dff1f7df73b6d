//! A hundred tools that are linked into the executable, three that do more than a `match` does, and a thousand that are
//! made while it runs.

use pi_tools::prelude::*;
use pi_tools::{Tool, ToolSpec};
use schemars::JsonSchema;
use serde_json::Value;

include!(concat!(env!("OUT_DIR"), "/tools.rs"));

/// Add two numbers.
#[pi_tool]
pub async fn add(
    /// One number.
    a: i64,
    /// Another number.
    b: i64,
) -> String {
    (a + b).to_string()
}

/// What to do with the list.
#[derive(Clone, Copy, Debug, StringEnum)]
pub enum Action {
    /// Show every item.
    List,
    /// Append one item.
    Add,
    /// Tick one item off.
    Done,
}

/// Manage the project's to-do list.
#[pi_tool]
pub async fn todo(
    /// What to do.
    action: Action,
    /// add: the item's text.
    text: Option<String>,
    /// add: until when.
    due: Option<String>,
) -> String {
    match (action, text, due) {
        (Action::Add, Some(text), Some(due)) => format!("Added: {text} until {due}"),
        (Action::Add, Some(text), None) => format!("Added: {text}"),
        (action, ..) => action.to_string(),
    }
}

/// Deploy a service.
#[pi_tool]
pub async fn deploy(
    /// What, and how.
    plan: Plan,
) -> String {
    format!("{} {} with {} variables", plan.service, plan.version, plan.environment.len())
}

/// A deployment.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Plan {
    pub service: String,
    pub version: String,
    pub region: String,
    pub strategy: Strategy,
    pub replicas: u32,
    pub timeout_seconds: u32,
    pub dry_run: bool,
    pub canary: bool,
    pub weight: f64,
    pub owner: Person,
    pub reviewers: Vec<Person>,
    pub image: Image,
    pub probe: Probe,
    pub environment: Vec<Variable>,
    pub tags: Vec<String>,
    pub ports: Vec<u32>,
    pub note: Option<String>,
    pub ticket: Option<String>,
    pub previous: Option<String>,
    pub priority: i32,
}

/// How the new version replaces the old one.
#[derive(Clone, Copy, Debug, StringEnum)]
pub enum Strategy {
    /// One after another.
    Rolling,
    /// All at once.
    Recreate,
}

/// Somebody.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Person {
    pub name: String,
    pub mail: String,
}

/// A container's image.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Image {
    pub registry: String,
    pub name: String,
    pub digest: String,
}

/// How to ask whether it is alive.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Probe {
    pub path: String,
    pub port: u32,
    pub period_seconds: u32,
}

/// A variable of the environment.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Variable {
    pub name: String,
    pub value: String,
}

/// Write a file.
#[pi_tool]
pub async fn write(
    /// What to write.
    text: String,
) -> String {
    text.len().to_string()
}

/// Search, for a limited number of results.
#[pi_tool(handle = Limited, register = false)]
pub async fn limited(
    /// What to search.
    text: String,
    /// How many results.
    #[arg(range = 1..=100)]
    limit: u32,
) -> String {
    format!("{text}: {limit}")
}

/// Takes the text by its old name.
pub(crate) fn modernise(mut arguments: Value) -> Value {
    if let Some(map) = arguments.as_object_mut()
        && let Some(old) = map.remove("query")
    {
        map.insert("text".to_owned(), old);
    }
    arguments
}

/// Search, also for what was asked for by an old name.
#[pi_tool(handle = PreparedSearch, register = false, prepare = modernise)]
pub async fn prepared(
    /// What to search.
    text: String,
) -> String {
    text
}

/// A number that lasts.
#[derive(Clone, Debug, Default, Serialize, Deserialize, SessionState)]
pub struct Total(pub i64);

/// Add to the session's total.
#[pi_tool(handle = Count, register = false)]
pub async fn count(
    /// How much.
    by: i64,
    total: &mut Total,
) -> String {
    total.0 = total.0.wrapping_add(by);
    total.0.to_string()
}

/// The three tools that do more.
///
/// # Panics
///
/// When they cannot be built.
#[must_use]
pub fn more() -> Toolbox {
    Toolbox::builder().tool(Limited).tool(PreparedSearch).tool(Count).build().unwrap()
}

/// One of a thousand tools, which differ by their names.
#[derive(Debug)]
pub struct Numbered(&'static ToolSpec);

/// Two numbers.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Two {
    pub a: i64,
    pub b: i64,
}

impl Tool for Numbered {
    type Arguments = Two;
    type State = ();

    fn spec(&self) -> &'static ToolSpec {
        self.0
    }

    async fn call(&self, Two { a, b }: Two, (): &mut (), _: &ToolContext) -> Result<ToolOutput, ToolError> {
        Ok(ToolOutput::text((a + b).to_string()))
    }
}

/// What is known of a thousand tools, or of fewer.
#[must_use]
pub fn specs(number: usize) -> Vec<&'static ToolSpec> {
    let spec = |name: String| &*Box::leak(Box::new(ToolSpec::new(name.leak(), "Add", "Add two numbers.")));
    (0..number).map(|n| spec(format!("tool_{n:04}"))).collect()
}

/// A toolbox of them.
///
/// # Panics
///
/// When it cannot be built.
#[must_use]
pub fn numbered(specs: &[&'static ToolSpec]) -> Toolbox {
    specs.iter().fold(Toolbox::builder(), |builder, spec| builder.tool(Numbered(spec))).build().unwrap()
}
