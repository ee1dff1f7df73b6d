//! Which tools ask for constrained sampling: providers then hold the model to the schema while it writes.
//!
//! Pi makes the strict form itself, and goes without it where it cannot. But to OpenAI and Bedrock it hands on keywords
//! that their strict modes refuse, and with them the whole request; and where null is a value of its own, "no value" would
//! get lost. So a tool asks for it if its strict form says all that the portable one does.

use serde_json::Value;

use crate::protocol::ConstrainedSampling;
use crate::schema::{Change, Dialect, walk};
use crate::tool::ToolRef;

pub(super) fn constrained(tool: ToolRef<'_>) -> Option<ConstrainedSampling> {
    let says_all = |dialect| {
        let (_, report) = tool.schema(dialect).ok()?;
        report.losses.iter().all(|loss| loss.change != Change::Removed).then_some(())
    };
    says_all(Dialect::OpenAiStrict)?;
    says_all(Dialect::AnthropicStrict)?;
    let schema = tool.parameters().ok()?.schema();
    can_be_strict(schema).then_some(ConstrainedSampling::JsonSchema { strict: "prefer" })
}

/// Whether Pi has a strict form for it: without references, and without objects and lists in unions. Whatever else it
/// refuses no dialect's strict mode has.
fn can_be_strict(schema: &Value) -> bool {
    let mut can = true;
    walk(schema, &mut |_, map| {
        let branches = map.get("anyOf").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let is_structured = |branch: &Value| {
            ["object", "array"].iter().any(|kind| has_type(branch, kind))
                || ["properties", "items"].iter().any(|keyword| branch.get(keyword).is_some())
        };
        let properties = map.get("properties").and_then(Value::as_object).into_iter().flatten();
        let is_required = |name: &str| {
            map.get("required").and_then(Value::as_array).is_some_and(|all| all.iter().any(|other| other == name))
        };
        let mut optional = properties.filter(|(name, _)| !is_required(name));
        can &= !map.contains_key("$ref")
            && !branches.iter().any(is_structured)
            && !optional.any(|(_, schema)| takes_null(schema));
    });
    can
}

fn has_type(schema: &Value, kind: &str) -> bool {
    schema["type"] == kind || schema["type"].as_array().is_some_and(|kinds| kinds.iter().any(|other| other == kind))
}

fn takes_null(schema: &Value) -> bool {
    has_type(schema, "null") || schema["anyOf"].as_array().is_some_and(|branches| branches.iter().any(takes_null))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_has_no_strict_form_or_loses_in_it() {
        let object = |property: Value| json!({ "type": "object", "properties": { "a": property } });
        for fits in [
            json!({ "type": "string" }),
            json!({ "type": "array", "items": { "type": "object", "properties": {} } }),
            json!({ "anyOf": [{ "type": "string" }, { "type": "integer" }] }),
        ] {
            assert!(can_be_strict(&object(fits.clone())), "{fits}");
        }
        for lost in [
            json!({ "$ref": "#/$defs/A" }),
            json!({ "anyOf": [{ "type": "string" }, { "type": ["array", "null"] }] }),
            json!({ "anyOf": [{ "properties": {} }] }),
            // An absent value and null are two.
            json!({ "type": ["string", "null"] }),
            json!({ "anyOf": [{ "type": "string" }, { "type": "null" }] }),
        ] {
            assert!(!can_be_strict(&object(lost.clone())), "{lost}");
            assert!(!can_be_strict(&object(json!({ "type": "array", "items": object(lost.clone()) }))), "{lost}");
        }
        let mut required = object(json!({ "type": ["string", "null"] }));
        required["required"] = json!(["a"]);
        assert!(can_be_strict(&required));
    }
}
