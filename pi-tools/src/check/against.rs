//! What an earlier manifest allowed and the present tools do not.

use serde_json::Value;

use crate::schema::{self, Variant};
use crate::spec::Rename;
use crate::tool::ToolRef;

/// What sessions with the tools of an earlier manifest may hold that these tools refuse: each a line.
pub(crate) fn breaks<'a>(find: impl Fn(&str) -> Option<ToolRef<'a>>, manifest: &Value) -> Vec<String> {
    let Some(tools) = manifest["tools"].as_array() else {
        return vec!["it is no manifest: it has no `tools`".to_owned()];
    };
    let of_earlier = |earlier: &Value| {
        let name = earlier["name"].as_str().unwrap_or_default();
        let problems = find(name).map_or_else(|| vec!["it is gone".to_owned()], |tool| of_tool(earlier, tool));
        problems.into_iter().map(|problem| format!("tool `{name}`: {problem}")).collect::<Vec<_>>()
    };
    tools.iter().flat_map(of_earlier).collect()
}

fn of_tool(earlier: &Value, tool: ToolRef<'_>) -> Vec<String> {
    let Ok(parameters) = tool.parameters() else { return Vec::new() };
    let aliases = tool.spec().renames;
    let renamed =
        |name: &str| aliases.iter().find(|rename| rename.from == name).map(|Rename { to, .. }| (*to).to_owned());
    let is_alias = |property: &str, value: &Value| {
        parameters.aliases().iter().any(|alias| alias.property == property && *value == alias.from)
    };
    let mut breaks = schema::breaks(&earlier["parameters"], parameters.schema(), &renamed, &is_alias);

    // What was an alias before is in sessions, too.
    let properties = &parameters.schema()["properties"];
    for from in list(&earlier["prepare"]["renames"]).filter_map(|rename| rename["from"].as_str()) {
        if properties.get(from).is_none() && renamed(from).is_none() {
            breaks.push(format!("{from}: is no alias any more"));
        }
    }
    for alias in list(&earlier["prepare"]["values"]) {
        let (property, from) = (alias["property"].as_str().unwrap_or_default(), &alias["from"]);
        let property = renamed(property).unwrap_or_else(|| property.to_owned());
        let is_lost = |schema: &Value| schema["enum"].is_array() && !list(&schema["enum"]).any(|value| value == from);
        if properties.get(&property).is_some_and(is_lost) && !is_alias(&property, from) {
            breaks.push(format!("{property}: {from} is no alias any more"));
        }
    }

    for Variant { value, required, .. } in parameters.variants().into_iter().flat_map(|variants| &variants.variants) {
        let mut variants = list(&earlier["variants"]["variants"]);
        let Some(then) = variants.find(|variant| variant["value"] == *value.as_str()) else { continue };
        for name in required.iter().filter(|name| !list(&then["required"]).any(|other| other == *name)) {
            breaks.push(format!("{name}: is required now when {} is \"{value}\"", tag(earlier)));
        }
    }
    breaks
}

fn tag(manifest: &Value) -> &str {
    manifest["variants"]["tag"].as_str().unwrap_or_default()
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}
