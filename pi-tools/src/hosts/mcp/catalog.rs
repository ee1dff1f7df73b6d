//! What a client is told of the tools.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::error::ToolboxError;
use crate::hint;
use crate::policy::Tools;
use crate::prompt;
use crate::spec::{Exposure, ToolSpec};
use crate::tool::ToolRef;
use crate::toolbox::Toolbox;

/// The tools that are served, of all that the toolbox has.
pub(super) struct Catalog {
    toolbox: Arc<Toolbox>,
    served: BTreeSet<&'static str>,
}

impl Catalog {
    /// # Errors
    ///
    /// As [`Toolbox::verify`].
    pub(super) fn new(toolbox: Arc<Toolbox>, only: Option<&[Tools]>, except: &[Tools]) -> Result<Self, ToolboxError> {
        toolbox.verify()?;
        let is_among = |tools: &[Tools], spec: &ToolSpec| tools.iter().any(|tools| tools.has(spec));
        let is_served = |spec: &ToolSpec| {
            let is_wanted = match only {
                Some(only) => is_among(only, spec),
                // Pi, too, offers such a tool only when it is named.
                None => spec.default_active != Some(false),
            };
            is_wanted && spec.exposure != Some(Exposure::Hidden) && !is_among(except, spec)
        };
        let specs = toolbox.tools().map(|tool| tool.spec());
        let served = specs.filter(|spec| is_served(spec)).map(|spec| spec.name).collect();
        Ok(Self { toolbox, served })
    }

    pub(super) fn toolbox(&self) -> &Arc<Toolbox> {
        &self.toolbox
    }

    /// The tools, in the order of their names.
    pub(super) fn tools(&self) -> impl Iterator<Item = ToolRef<'_>> {
        self.served.iter().filter_map(|name| self.toolbox.get(name))
    }

    /// # Errors
    ///
    /// In words for whoever asked, when no such tool is served.
    pub(super) fn find(&self, name: &str) -> Result<ToolRef<'_>, String> {
        let found = self.served.contains(name).then(|| self.toolbox.get(name)).flatten();
        found.ok_or_else(|| match hint::nearest(name, self.served.iter().copied()) {
            Some(nearest) => format!("there is no tool `{name}`: did you mean `{nearest}`?"),
            None => format!("there is no tool `{name}`: `tools/list` has all that there are"),
        })
    }

    /// The instructions for a model that is to use these tools: what they are on the first line, as some clients show no
    /// more, and what Pi's system prompt says of them.
    pub(super) fn instructions(&self, name: &str) -> String {
        let names: Vec<&str> = self.served.iter().copied().collect();
        let mut text = match names.len() {
            0 => format!("{name} has no tools."),
            _ => format!("{name} has these tools: {}.", names.join(", ")),
        };
        let line = |tool: ToolRef<'_>| Some((tool.spec().name, prompt::snippet(tool.spec().prompt_snippet?)?));
        let snippets: Vec<_> = self.tools().filter_map(line).collect();
        if !snippets.is_empty() {
            text.push('\n');
            for (name, snippet) in snippets {
                let _ = write!(text, "\n- {name}: {snippet}");
            }
        }
        let rules = prompt::guidelines(self.tools().flat_map(|tool| tool.spec().guidelines.iter().copied()));
        if !rules.is_empty() {
            text.push_str("\n\nRules:");
            for rule in rules {
                let _ = write!(text, "\n- {rule}");
            }
        }
        text
    }

    /// The tools, as `tools/list` answers.
    pub(super) fn list(&self) -> Value {
        self.tools().filter_map(listed).collect()
    }
}

fn listed(tool: ToolRef<'_>) -> Option<Value> {
    let spec = tool.spec();
    let mut listed = json!({
        "name": spec.name,
        "title": spec.label,
        "description": description(tool),
        "inputSchema": tool.parameters().ok()?.mcp_schema(),
        "annotations": annotations(spec),
    });
    if let Some(schema) = tool.output_schema().ok().flatten() {
        listed["outputSchema"] = schema.clone();
    }
    Some(listed)
}

/// The only text that every client shows to its model, so the guidelines stand at its end.
fn description(tool: ToolRef<'_>) -> String {
    let sentences = prompt::guidelines(tool.spec().guidelines.iter().copied()).into_iter().map(|guideline| {
        if guideline.ends_with(['.', '!', '?']) { guideline.to_owned() } else { format!("{guideline}.") }
    });
    let guidelines: Vec<String> = sentences.collect();
    let description = tool.description().to_owned();
    if guidelines.is_empty() { description } else { format!("{description}\n\n{}", guidelines.join(" ")) }
}

fn annotations(spec: &ToolSpec) -> Map<String, Value> {
    let hints = [
        ("readOnlyHint", spec.read_only),
        ("destructiveHint", spec.destructive),
        ("idempotentHint", spec.idempotent),
        ("openWorldHint", spec.open_world),
    ];
    let hints = hints.into_iter().filter_map(|(name, hint)| Some((name.to_owned(), hint?.into())));
    // Clients from before `title` look for it here.
    std::iter::once(("title".to_owned(), spec.label.into())).chain(hints).collect()
}
