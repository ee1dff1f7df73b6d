//! Whether a tool that stands for a built-in takes what the built-in takes.

use serde_json::Value;

use crate::builtin;
use crate::schema::Parameters;

/// Where the arguments differ from the built-in's, in type or in what may be left out.
pub(super) fn differences(name: &str, parameters: &Parameters) -> Vec<String> {
    let Some(Ok(builtin)) = builtin::parameters(name).map(Parameters::normalise) else { return Vec::new() };
    let mut differences = Vec::new();
    compare(name, builtin.schema(), &parameters.check().schema, &mut Vec::new(), &mut differences);
    differences
}

fn compare(name: &str, builtin: &Value, own: &Value, path: &mut Vec<String>, differences: &mut Vec<String>) {
    let (expected, got) = (builtin["type"].as_str().unwrap_or("any"), own["type"].as_str().unwrap_or("any"));
    // Pi's numbers are whole ones in fact.
    if expected != got && !(expected == "number" && got == "integer") {
        differences.push(format!("{}: the built-in `{name}` takes {expected}, not {got}", path.join(".")));
        return;
    }
    // Lines are counted from 1, and nobody has more than fit into 31 bits.
    let bound = |keyword: &str| own[keyword].as_f64();
    if bound("minimum").is_some_and(|least| least > 1.0) || bound("maximum").is_some_and(|most| most < 2_147_483_647.0)
    {
        let [least, most] =
            ["minimum", "maximum"].map(|keyword| own.get(keyword).map_or("any".to_owned(), Value::to_string));
        differences.push(format!("{}: the built-in `{name}` takes any number, not {least} to {most}", path.join(".")));
    }
    let is_required = |schema: &Value, field: &String| {
        schema["required"].as_array().is_some_and(|required| required.iter().any(|other| other == field))
    };
    for (field, schema) in builtin["properties"].as_object().into_iter().flatten() {
        path.push(field.clone());
        match own["properties"].get(field) {
            None => {
                differences.push(format!("{}: the built-in `{name}` takes it, and this tool does not", path.join(".")));
            }
            Some(own_schema) => {
                if is_required(builtin, field) != is_required(own, field) {
                    let how = if is_required(builtin, field) { "required" } else { "optional" };
                    differences.push(format!("{}: it is {how} in the built-in `{name}`", path.join(".")));
                }
                compare(name, schema, own_schema, path, differences);
            }
        }
        path.pop();
    }
    for field in own["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if builtin["properties"].get(field).is_none() {
            differences.push(format!("{field}: required, and calls of the built-in `{name}` do not have it"));
        }
    }
    if builtin["items"].is_object() {
        path.push("*".to_owned());
        compare(name, &builtin["items"], &own["items"], path, differences);
        path.pop();
    }
}
