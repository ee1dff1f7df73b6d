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
    let (published, enforced) = (&earlier["parameters"], &parameters.check().schema);
    let mut breaks = schema::breaks(published, parameters.schema(), &renamed);
    // What is not published may be accepted, as the aliases of values are.
    let refused = schema::breaks(published, enforced, &renamed);
    breaks.retain(|found| refused.contains(found));
    // An earlier version did not tell what it enforced. Where it did, most is found both ways.
    if let Some(then) = earlier.get("enforced") {
        let found = schema::breaks(then, enforced, &renamed);
        breaks.extend(found.into_iter().filter(|found| !breaks.contains(found)).collect::<Vec<_>>());
    }

    // What was an alias before is in sessions, too.
    let properties = &parameters.schema()["properties"];
    for from in list(&earlier["prepare"]["renames"]).filter_map(|rename| rename["from"].as_str()) {
        if properties.get(from).is_none() && renamed(from).is_none() {
            breaks.push(format!("{from}: is no alias any more"));
        }
    }
    // Without variants then, all of them required the same.
    for Variant { value, required, .. } in parameters.variants().into_iter().flat_map(|variants| &variants.variants) {
        let mut variants = list(&earlier["variants"]["variants"]);
        let of_variant = match variants.find(|variant| variant["value"] == *value.as_str()) {
            Some(variant) => &variant["required"],
            None if earlier.get("variants").is_some() => continue,
            None => &Value::Null,
        };
        let was_required =
            |name: &String| list(of_variant).chain(list(&published["required"])).any(|other| other == name);
        for name in required.iter().filter(|name| !was_required(name)) {
            let tag = parameters.variants().map_or("", |variants| variants.tag.as_str());
            breaks.push(format!("{name}: is required now when {tag} is \"{value}\""));
        }
    }
    breaks
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}
