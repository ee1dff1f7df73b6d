//! "Did you mean": the name that is most like one that does not exist.

#[cfg(feature = "cli")]
use serde_json::Value;

#[cfg(feature = "cli")]
use crate::tool::ToolRef;

/// How like two names must be, from 0 to 1: clap's number, for its own suggestions.
const ALIKE: f64 = 0.7;

/// The name that is most like the typed one, if one is like it.
pub(crate) fn nearest<'a>(typed: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let typed = typed.to_lowercase();
    let rated = names.into_iter().map(|name| (strsim::jaro(&typed, &name.to_lowercase()), name));
    let alike = rated.filter(|(likeness, _)| *likeness > ALIKE);
    alike.max_by(|one, other| one.0.total_cmp(&other.0)).map(|(_, name)| name)
}

/// For each name in the arguments that the tool does not know and that is like one which is not given: both.
#[cfg(feature = "cli")]
pub(crate) fn arguments(tool: ToolRef<'_>, arguments: &Value) -> Vec<(String, String)> {
    let mut hints = Vec::new();
    if let Ok(parameters) = tool.parameters() {
        let renames = tool.spec().renames.iter().map(|rename| rename.from).collect::<Vec<_>>();
        find("", arguments, parameters.schema(), &renames, &mut hints);
    }
    hints
}

#[cfg(feature = "cli")]
fn find(path: &str, value: &Value, schema: &Value, known: &[&str], hints: &mut Vec<(String, String)>) {
    let (Some(object), Some(properties)) = (value.as_object(), schema["properties"].as_object()) else { return };
    for (name, value) in object {
        if let Some(property) = properties.get(name) {
            find(&format!("{path}{name}."), value, property, &[], hints);
        } else if !known.contains(&name.as_str()) {
            // An object that takes any name may mean this one, unless one is missing.
            let is_closed = schema["additionalProperties"] == false;
            let required = schema["required"].as_array().map_or(&[][..], Vec::as_slice);
            let is_free = |property: &&String| {
                !object.contains_key(*property) && (is_closed || required.iter().any(|name| *name == **property))
            };
            let free = properties.keys().filter(is_free);
            if let Some(nearest) = nearest(name, free.map(String::as_str)) {
                hints.push((format!("{path}{name}"), format!("{path}{nearest}")));
            }
        }
    }
}

#[cfg(all(test, feature = "cli"))]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_object_that_takes_any_name() {
        let schema = json!({ "properties": { "line": {}, "column": {} }, "required": ["line"] });
        let find = |value: Value| {
            let mut hints = Vec::new();
            find("at.", &value, &schema, &["lime"], &mut hints);
            hints
        };
        assert_eq!(find(json!({ "lin": 1, "colum": 2 })), [("at.lin".to_owned(), "at.line".to_owned())]);
        // Nothing is missing, or it is an old name.
        assert_eq!(find(json!({ "line": 1, "lines": 2 })), []);
        assert_eq!(find(json!({ "lime": 1 })), []);
    }
}
