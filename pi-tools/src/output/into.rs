//! What a tool may return, and what becomes of it.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;

use super::ToolOutput;
use crate::error::ToolError;

/// A result as data: structured content for scripts and tools that call the tool, with its schema; `details` for the host;
/// and JSON text for the model.
///
/// Its schema is the tool's [`output_schema`](crate::ToolRef::output_schema), so `T` is `Serialize` and `JsonSchema`.
/// Where the model should read something else, a pair has both: what is said, as anything a tool may return, and the data,
/// which then is structured content alone.
///
/// # Example
///
/// ```
/// use pi_tools::prelude::*;
///
/// # use pi_tools::schemars;
/// #[derive(Serialize, schemars::JsonSchema)]
/// struct Found {
///     /// Where it is.
///     paths: Vec<String>,
/// }
///
/// /// Find files.
/// #[pi_tool(handle = Find, register = false)]
/// async fn find() -> Result<(String, Json<Found>), ToolError> {
///     let paths = vec!["a.rs".to_owned(), "b.rs".to_owned()];
///     Ok((format!("{} files", paths.len()), Json(Found { paths })))
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let toolbox = Toolbox::builder().tool(Find).build().unwrap();
/// let output = toolbox.call("find", "{}").await;
/// assert_eq!(output.to_text(), "2 files");
/// assert_eq!(output.structured_content().unwrap()["paths"][0], "a.rs");
///
/// let schema = toolbox.get("find").unwrap().output_schema().unwrap().unwrap();
/// assert_eq!(schema["properties"]["paths"]["description"], "Where it is.");
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Json<T>(pub T);

/// How the schema of structured content is generated: with schemars, of a type, as
/// `SchemaGenerator::into_root_schema_for::<T>` does it.
pub type OutputSchema = fn(SchemaGenerator) -> Schema;

/// What a tool may return.
///
/// Implemented for `String`, `&str`, `()`, [`Json`], [`ToolOutput`], for one of them beside a [`Json`], and for a `Result`
/// of one of them whose error is a [`ToolError`] or converts into `Box<dyn Error + Send + Sync>`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not something a tool can return",
    label = "not a tool's result",
    note = "return `String`, `&'static str`, `()`, `Json<T>` or `ToolOutput<D>`, or a `Result` of one of them",
    note = "the error of a `Result` is `ToolError`, or any type that converts into `Box<dyn Error + Send + Sync>`"
)]
pub trait IntoToolOutput {
    /// Turns the value into a result of a call.
    ///
    /// # Errors
    ///
    /// The error that the value stands for, or details that do not serialise.
    fn into_tool_output(self) -> Result<ToolOutput, ToolError>;

    /// How the schema of the structured content is generated, if values of this type have some.
    ///
    /// ```
    /// use pi_tools::{IntoToolOutput, Json};
    ///
    /// assert!(Result::<Json<u8>, String>::output_schema().is_some());
    /// assert!(String::output_schema().is_none());
    /// ```
    #[must_use]
    fn output_schema() -> Option<OutputSchema> {
        None
    }
}

impl IntoToolOutput for String {
    fn into_tool_output(self) -> Result<ToolOutput, ToolError> {
        Ok(ToolOutput::text(self))
    }
}

impl IntoToolOutput for &str {
    fn into_tool_output(self) -> Result<ToolOutput, ToolError> {
        Ok(ToolOutput::text(self))
    }
}

impl IntoToolOutput for () {
    fn into_tool_output(self) -> Result<ToolOutput, ToolError> {
        Ok(ToolOutput::text("done"))
    }
}

impl<T: Serialize + JsonSchema> IntoToolOutput for Json<T> {
    fn into_tool_output(self) -> Result<ToolOutput, ToolError> {
        // Not the text of the value: a value has every number as 64 bits, which shows.
        let text = serde_json::to_string(&self.0)?;
        let value = serde_json::to_value(self.0)?;
        Ok(ToolOutput::text(text).with_details(value.clone()).with_structured_content(value))
    }

    fn output_schema() -> Option<OutputSchema> {
        Some(SchemaGenerator::into_root_schema_for::<T>)
    }
}

impl<O: IntoToolOutput, T: Serialize + JsonSchema> IntoToolOutput for (O, Json<T>) {
    fn into_tool_output(self) -> Result<ToolOutput, ToolError> {
        let (said, Json(value)) = self;
        Ok(said.into_tool_output()?.with_structured_content(serde_json::to_value(value)?))
    }

    fn output_schema() -> Option<OutputSchema> {
        Json::<T>::output_schema()
    }
}

impl<D: Serialize> IntoToolOutput for ToolOutput<D> {
    fn into_tool_output(self) -> Result<ToolOutput, ToolError> {
        let Self { content, details, structured_content, is_error, terminate, is_cut, usage } = self;
        let details = details.map(serde_json::to_value).transpose()?.map(Box::new);
        Ok(ToolOutput { content, details, structured_content, is_error, terminate, is_cut, usage })
    }
}

#[diagnostic::do_not_recommend]
impl<T: IntoToolOutput, E: Into<ToolError>> IntoToolOutput for Result<T, E> {
    fn into_tool_output(self) -> Result<ToolOutput, ToolError> {
        self.map_err(Into::into).and_then(T::into_tool_output)
    }

    fn output_schema() -> Option<OutputSchema> {
        T::output_schema()
    }
}
