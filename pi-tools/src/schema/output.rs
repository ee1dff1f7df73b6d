//! The schema of what a tool gives back.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::Value;

use super::{Dialect, SchemaError, dialect, normal, take_aliases};
use crate::output::OutputSchema;

/// The schema of what `T` serialises to, in the portable form: as that of parameters, but of any type, and a null that is
/// written stays one.
///
/// It is a tool's [`output_schema`](crate::ToolRef::output_schema) when it returns [`Json<T>`](crate::Json).
///
/// ```
/// use serde_json::json;
///
/// #[derive(schemars::JsonSchema)]
/// struct Found {
///     /// Where it is.
///     path: String,
///     /// Its line, where there is one.
///     line: Option<u32>,
/// }
/// assert_eq!(
///     pi_tools::schema::output_schema::<Found>().unwrap(),
///     json!({
///         "type": "object",
///         "properties": {
///             "path": {"type": "string", "description": "Where it is."},
///             "line": {"type": ["integer", "null"], "description": "Its line, where there is one.", "minimum": 0},
///         },
///         "required": ["path", "line"],
///     }),
/// );
/// ```
///
/// # Errors
///
/// When the schema says something that has no portable form.
pub fn output_schema<T: JsonSchema>() -> Result<Value, SchemaError> {
    of_output(SchemaGenerator::into_root_schema_for::<T>)
}

pub(crate) fn of_output(generate: OutputSchema) -> Result<Value, SchemaError> {
    let generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let mut normal = normal::normalise_output(&generate(generator).into())?;
    take_aliases(&mut normal);
    let (schema, _) = dialect::render(&normal, Dialect::Portable)?;
    Ok(schema)
}
