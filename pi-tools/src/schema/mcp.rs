//! What clients of MCP are told of a schema beyond the portable form.

use serde_json::{Map, Value};

/// On the root of a schema: clients of MCP are told it as it is written.
const AS_WRITTEN: &str = "x-pi-tools-as-written";
/// On a parameter: the header in which it is sent over HTTP, too.
const HEADER: &str = "x-mcp-header";

/// The schema for clients of MCP, where it is another than the portable one.
pub(super) fn of(written: &Value, portable: &Value) -> Option<Value> {
    if written[AS_WRITTEN] == true {
        let mut schema = Map::new();
        schema.insert("$schema".into(), "https://json-schema.org/draft/2020-12/schema".into());
        schema.extend(written.as_object().cloned().unwrap_or_default());
        schema.shift_remove(AS_WRITTEN);
        return Some(schema.into());
    }
    let parameters = written["properties"].as_object()?;
    let headers: Vec<_> = parameters.iter().filter_map(|(name, schema)| Some((name, schema.get(HEADER)?))).collect();
    if headers.is_empty() {
        return None;
    }
    let mut schema = portable.clone();
    for (name, header) in headers {
        if let Some(Value::Object(parameter)) = schema.pointer_mut("/properties").and_then(|all| all.get_mut(name)) {
            parameter.insert(HEADER.into(), header.clone());
        }
    }
    Some(schema)
}

#[cfg(test)]
mod tests {
    use schemars::JsonSchema;
    use serde_json::json;

    use crate::schema::Parameters;

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Place {
        line: u32,
    }

    #[derive(JsonSchema)]
    #[schemars(extend("x-pi-tools-as-written" = true))]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct AsWritten {
        place: Place,
    }

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct WithHeader {
        #[schemars(extend("x-mcp-header" = "Region"))]
        region: Option<String>,
        place: Place,
    }

    #[test]
    fn a_schema_is_told_as_it_is_written_where_it_asks_for_it() {
        let parameters = Parameters::of::<AsWritten>().unwrap();
        let told = parameters.mcp_schema();
        assert_eq!(told["properties"]["place"], json!({ "$ref": "#/$defs/Place" }));
        assert!(told["$defs"]["Place"].is_object() && told["$schema"].is_string(), "{told}");
        assert!(!told.to_string().contains("x-pi-tools"), "{told}");
        assert_eq!(parameters.schema()["properties"]["place"]["type"], "object");
        assert!(!parameters.schema().to_string().contains("x-pi-tools"), "{}", parameters.schema());
    }

    #[test]
    fn a_header_is_told_beside_the_portable_form() {
        let parameters = Parameters::of::<WithHeader>().unwrap();
        let told = parameters.mcp_schema();
        assert_eq!(told["properties"]["region"], json!({ "type": "string", "x-mcp-header": "Region" }));
        assert_eq!(told["properties"]["place"], parameters.schema()["properties"]["place"]);
        assert!(!parameters.schema().to_string().contains("x-mcp"), "{}", parameters.schema());
        let plain = Parameters::of::<Place>().unwrap();
        assert_eq!(plain.mcp_schema(), plain.schema());
    }
}
