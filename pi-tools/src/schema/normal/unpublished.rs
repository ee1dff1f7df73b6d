//! What no provider takes of a schema: it is told in the description, and checked.

use serde_json::Value;

use super::{Normaliser, Object, add_check, add_note};
use crate::schema::walk::walk;
use crate::schema::{Reason, SchemaError};

impl Normaliser<'_> {
    /// What no provider takes is told, and checked.
    pub(super) fn unpublished(&mut self, map: &Object, kept: &mut Object) -> Result<(), SchemaError> {
        const KEYWORDS: [&str; 11] = [
            "not",
            "contains",
            "minContains",
            "maxContains",
            "propertyNames",
            "dependentRequired",
            "dependentSchemas",
            "dependencies",
            "if",
            "then",
            "else",
        ];
        for keyword in KEYWORDS {
            // Every name is a text.
            let says =
                |value: &&Value| keyword != "propertyNames" || **value != serde_json::json!({ "type": "string" });
            let Some(value) = map.get(keyword).filter(says) else { continue };
            match value.get("const").filter(|_| keyword == "not") {
                Some(excluded) => add_note(kept, &format!("must not be {excluded}")),
                None => add_note(kept, &format!("{keyword}: {value}")),
            }
            let mut refers = false;
            walk(value, &mut |_, map| refers |= map.contains_key("$ref"));
            if refers {
                return self
                    .fail(Reason::UnresolvedRef, &format!("that `{keyword}` could refer to: write it out there"));
            }
            self.report_within(value);
            add_check(kept, keyword, value.clone());
        }
        if let Some(Value::Array(examples)) = map.get("examples") {
            add_check(kept, "examples", examples.clone().into());
        }
        Ok(())
    }
}
