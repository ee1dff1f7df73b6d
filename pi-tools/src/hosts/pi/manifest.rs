//! What Pi must know to register the tools.

use super::sampling;
use crate::error::ToolboxError;
use crate::protocol::{Annotations, Manifest, ManifestTool, Namespace, PROTOCOL_VERSION, Prepare};
use crate::schema::Parameters;
use crate::spec::{Execution, ToolSpec};
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
    Ok(Manifest { protocol_version: PROTOCOL_VERSION, name, version, tools })
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
    }
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
