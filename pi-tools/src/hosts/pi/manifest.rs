//! What Pi must know to register the tools.

use super::sampling;
use crate::error::ToolboxError;
use crate::protocol::{
    Annotations, EntryRenderer, Manifest, ManifestTool, Namespace, PROTOCOL_VERSION, Prepare, Render,
};
use crate::schema::Parameters;
use crate::session::DrawnEntry;
use crate::spec::{Execution, ToolSpec, Truncate};
use crate::template::{self, Drawn};
use crate::tool::ToolRef;
use crate::toolbox::Toolbox;

/// # Errors
///
/// As [`Toolbox::verify`].
pub(crate) fn manifest<'a>(
    toolbox: &'a Toolbox,
    name: &'a str,
    version: &'a str,
) -> Result<Manifest<'a>, ToolboxError> {
    toolbox.verify()?;
    let tools = toolbox.tools().filter_map(|tool| Some(manifest_tool(tool, tool.parameters().ok()?))).collect();
    let entry_renderers = DrawnEntry::linked().into_iter().filter_map(entry_renderer).collect();
    Ok(Manifest { protocol_version: PROTOCOL_VERSION, name, version, tools, entry_renderers })
}

fn manifest_tool<'a>(tool: ToolRef<'a>, parameters: &'a Parameters) -> ManifestTool<'a> {
    let spec = tool.spec();
    ManifestTool {
        name: spec.name,
        label: spec.label,
        description: tool.description(),
        parameters: parameters.schema(),
        output_schema: tool.output_schema().ok().flatten(),
        prompt_snippet: spec.prompt_snippet,
        prompt_guidelines: spec.guidelines,
        execution_mode: tool.execution().map(Execution::as_str),
        annotations: annotations(spec),
        constrained_sampling: sampling::constrained(tool),
        exposure: spec.exposure,
        namespace: spec.namespace.map(|name| Namespace { name }),
        default_active: spec.default_active,
        overrides: spec.overrides.is_some(),
        enforced: &parameters.check().schema,
        variants: parameters.variants(),
        state: tool.state_keys(),
        prepare: Prepare { custom: spec.prepare.is_some(), renames: spec.renames, values: parameters.aliases() },
        render: render(spec),
    }
}

fn render(spec: &ToolSpec) -> Option<Render> {
    // What does not parse is no tool that `verify` accepts.
    let parse = |template: Option<&str>, drawn| template::parse(template?, drawn).ok();
    let (call, result) = (parse(spec.render_call, Drawn::Call), parse(spec.render_result, Drawn::Result));
    let is_drawn = call.is_some() || result.is_some();
    is_drawn.then_some(Render { call, result, lines: spec.render_lines, tail: spec.truncate == Truncate::Tail })
}

fn entry_renderer(entry: &DrawnEntry) -> Option<EntryRenderer<'static>> {
    let template = template::parse(entry.template, Drawn::Entry).ok()?;
    Some(EntryRenderer { custom_type: entry.entry_type, template })
}

fn annotations(spec: &ToolSpec) -> Option<Annotations> {
    let ToolSpec { read_only, destructive, idempotent, open_world, .. } = *spec;
    let says = [read_only, destructive, idempotent, open_world].iter().any(Option::is_some);
    says.then_some(Annotations {
        read_only_hint: read_only,
        destructive_hint: destructive,
        idempotent_hint: idempotent,
        open_world_hint: open_world,
    })
}
