//! What is wrong with tools, and what providers lose of them: for the command `check` and for [`check!`](crate::check).

mod against;
mod agreement;
mod overrides;

use serde::Serialize;
use serde_json::Value;

use agreement::Disagreements;

use crate::declaration::{self, Declaration};
use crate::pipeline;
use crate::schema::{Dialect, Loss, Parameters, Warning};
use crate::template;
use crate::tool::{Entry, ToolRef};

pub(crate) use against::breaks;

/// What was found out about the tools.
#[derive(Debug, Serialize)]
pub(crate) struct Findings {
    pub(crate) tools: Vec<ToolFindings>,
    /// What is to be told of all tools together: each with its dialect.
    pub(crate) notices: Vec<String>,
}

/// What was found out about one tool.
#[derive(Debug, Serialize)]
pub(crate) struct ToolFindings {
    pub(crate) name: &'static str,
    pub(crate) location: String,
    #[serde(skip)]
    is_published: bool,
    /// What must be mended, whatever the provider.
    pub(crate) problems: Vec<String>,
    pub(crate) warnings: Vec<Warning>,
    pub(crate) dialects: Vec<DialectFindings>,
}

/// What a provider makes of one tool.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DialectFindings {
    pub(crate) dialect: &'static str,
    /// Of the declaration, as JSON.
    pub(crate) bytes: usize,
    /// An estimate: four bytes each.
    pub(crate) tokens: usize,
    pub(crate) losses: Vec<Loss>,
    /// Why strict mode is not claimed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) not_strict: Option<String>,
    /// Why the provider refuses the tool.
    pub(crate) problems: Vec<String>,
}

impl Findings {
    pub(crate) fn new<'a>(tools: impl Iterator<Item = ToolRef<'a>>, dialects: &[Dialect]) -> Self {
        let all: Vec<ToolRef<'_>> = tools.collect();
        let mut findings: Vec<ToolFindings> = all.iter().map(|tool| ToolFindings::new(*tool)).collect();
        let mut notices = Vec::new();
        for dialect in dialects {
            let (attempts, of_all) = declaration::attempt(&all, *dialect);
            for (tool, attempt) in findings.iter_mut().zip(attempts) {
                let mut found = DialectFindings::new(*dialect, attempt);
                if !tool.is_published {
                    // It is told already.
                    found.problems.clear();
                }
                tool.dialects.push(found);
            }
            notices.extend(of_all.into_iter().map(|notice| format!("{}: {notice}", dialect.name())));
        }
        Self { tools: findings, notices }
    }

    /// All that must be mended, each with its tool.
    pub(crate) fn problems(&self) -> Vec<String> {
        let of_tool = |tool: &ToolFindings| {
            let place = format!("tool `{}` ({})", tool.name, tool.location);
            let of_dialects = tool.dialects.iter().flat_map(|dialect| &dialect.problems);
            // A strict mode has the problems of its plain one.
            let mut problems: Vec<&String> = tool.problems.iter().chain(of_dialects).collect();
            problems.dedup();
            problems.into_iter().map(|problem| format!("{place}: {problem}")).collect::<Vec<_>>()
        };
        self.tools.iter().flat_map(of_tool).collect()
    }

    /// What is lost, and where: what several tools have in common is told once, with their names and
    /// places on the next line.
    pub(crate) fn details(&self) -> String {
        let mut lines: Vec<(String, Vec<String>)> = Vec::new();
        let mut tell = |tool: String, line: String| match lines.iter_mut().find(|(other, _)| *other == line) {
            Some((_, tools)) => tools.push(tool),
            None => lines.push((line, vec![tool])),
        };
        for ToolFindings { name, warnings, .. } in &self.tools {
            for Warning { pointer, text } in warnings {
                tell(format!("{name}{pointer}"), text.to_string());
            }
        }
        let dialects = self.tools.iter().map(|tool| tool.dialects.len()).max().unwrap_or(0);
        for index in 0..dialects {
            for ToolFindings { name, dialects, .. } in &self.tools {
                let Some(DialectFindings { dialect, losses, .. }) = dialects.get(index) else { continue };
                for loss in losses {
                    tell((*name).to_owned(), format!("{dialect}: {loss}"));
                }
            }
        }
        let notices = self.notices.iter().map(|notice| format!("\n{notice}\n"));
        let lines = lines.into_iter().map(|(line, tools)| format!("\n{line}\n  {}\n", tools.join(", ")));
        notices.chain(lines).collect()
    }
}

impl ToolFindings {
    fn new(tool: ToolRef<'_>) -> Self {
        let spec = tool.spec();
        let mut problems = faults(tool.entry);
        let is_published = tool.parameters().is_ok();
        let mut warnings = Vec::new();
        if let Ok(parameters) = tool.parameters() {
            problems.extend(undocumented(parameters));
            problems.extend(spec.overrides.into_iter().flat_map(|name| overrides::differences(name, parameters)));
            warnings = parameters.warnings();
            if problems.is_empty() {
                let disagreements = Disagreements::of(tool.entry, parameters);
                problems.extend(disagreements.problems);
                warnings.extend(disagreements.warnings);
            }
        }
        Self {
            name: spec.name,
            location: spec.location.to_string(),
            is_published,
            problems,
            warnings,
            dialects: Vec::new(),
        }
    }
}

impl DialectFindings {
    fn new(dialect: Dialect, attempt: Result<Declaration, Vec<String>>) -> Self {
        let mut findings = Self {
            dialect: dialect.name(),
            bytes: 0,
            tokens: 0,
            losses: Vec::new(),
            not_strict: None,
            problems: Vec::new(),
        };
        match attempt {
            Ok(declaration) => {
                findings.bytes = declaration.to_json().to_string().len();
                findings.tokens = findings.bytes.div_ceil(4);
                findings.losses = declaration.report.losses;
                findings.not_strict = declaration.not_strict;
            }
            Err(problems) => findings.problems = problems,
        }
        findings
    }
}

/// What is wrong with a tool's name and parameters, whatever they are used for.
pub(crate) fn faults(entry: &Entry) -> Vec<String> {
    let mut faults = Vec::new();
    if !Dialect::Portable.takes_name(entry.spec.name) {
        faults.push(format!("a provider refuses the name: write {}", Dialect::Portable.name_rule()));
    }
    match entry.parameters() {
        Ok(parameters) => {
            faults.extend(pipeline::faults(parameters));
            faults.extend(template::faults(entry.spec, parameters.schema()));
        }
        Err(error) => faults.push(error.to_string()),
    }
    faults.extend(entry.output_schema().err().map(|error| format!("output: {error}")));
    faults
}

/// The parameters that a model is told nothing about. The macro sees to those of a function, but not to the fields of
/// a struct.
fn undocumented(parameters: &Parameters) -> Vec<String> {
    let tag = parameters.variants().map(|variants| variants.tag.as_str());
    let properties = parameters.schema()["properties"].as_object().into_iter().flatten();
    properties
        // What a tag says is told with the variants.
        .filter(|(name, schema)| Some(name.as_str()) != tag && !has_description(schema))
        .map(|(name, _)| format!("{name}: has no description: write a doc comment on the field"))
        .collect()
}

/// A union is told by its own description, or by those of its branches; a reference by the object around it.
fn has_description(schema: &Value) -> bool {
    schema.get("description").is_some()
        || schema.get("$ref").is_some()
        || schema["anyOf"].as_array().is_some_and(|branches| branches.iter().any(has_description))
}
