//! A tool in a toolbox.

use std::borrow::Cow;
use std::fmt;
use std::sync::OnceLock;

use serde_json::Value;

use super::{Call, ErasedTool, StartError, Started, probe};
use crate::context::ToolContext;
use crate::links::without_links;
use crate::schema::{Dialect, Parameters, Report, SchemaError, of_output};
use crate::session::Locked;
use crate::spec::{Execution, ToolSpec};

/// A tool in a toolbox, and what is found out about it once.
pub(crate) struct Entry {
    pub(crate) spec: &'static ToolSpec,
    pub(crate) tool: Box<dyn ErasedTool>,
    pub(crate) state_keys: Vec<&'static str>,
    /// Whether it needs no more of a call than its arguments.
    pub(crate) is_plain: bool,
    description: OnceLock<Cow<'static, str>>,
    output_schema: OnceLock<Result<Option<Value>, SchemaError>>,
    must_check: OnceLock<bool>,
}

impl Entry {
    pub(crate) fn new(tool: Box<dyn ErasedTool>) -> Self {
        let (spec, state_keys) = (tool.spec(), tool.state_keys());
        let is_plain = state_keys.is_empty() && !(cfg!(feature = "command") && tool.takes_context());
        let (description, output_schema, must_check) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        Self { spec, tool, state_keys, is_plain, description, output_schema, must_check }
    }

    pub(crate) fn parameters(&self) -> Result<&Parameters, &SchemaError> {
        self.tool.parameters()
    }

    pub(crate) fn output_schema(&self) -> Result<Option<&Value>, &SchemaError> {
        let generate = || self.tool.output_schema().map(of_output).transpose();
        self.output_schema.get_or_init(generate).as_ref().map(Option::as_ref)
    }

    /// Whether decoding alone does not check enough: found out at the first call.
    pub(crate) fn must_check(&self) -> bool {
        *self.must_check.get_or_init(|| {
            let Ok(parameters) = self.parameters() else { return true };
            let check = parameters.check();
            self.tool.is_prepared() || check.is_constrained || !probe::holds(self, check)
        })
    }

    /// Decodes the arguments of a call. Nothing of it runs.
    ///
    /// # Panics
    ///
    /// When something does.
    pub(crate) fn start<'a>(&'a self, call: Call<'a>) -> Result<Started<'a>, StartError> {
        Ok(self.tool.start(call, None)?.expect("nothing runs without a place for its end"))
    }

    /// Decodes arguments, and does nothing with them: the tool is started and not run.
    pub(crate) fn decode(&self, arguments: &str) -> Result<(), serde_json::Error> {
        let (states, cx) = (&Locked::none(), &ToolContext::new());
        match self.start(Call { arguments, states, cx }) {
            Err(StartError::Decode(error)) => Err(error),
            Err(StartError::Tool(_) | StartError::Body(_)) | Ok(_) => Ok(()),
        }
    }

    /// The description as a model reads it.
    pub(crate) fn description(&self) -> &str {
        self.description.get_or_init(|| without_links(self.spec.description))
    }
}

/// One tool of a toolbox.
#[derive(Clone, Copy)]
pub struct ToolRef<'a> {
    pub(crate) entry: &'a Entry,
}

impl<'a> ToolRef<'a> {
    /// What is known before a call.
    #[must_use]
    pub fn spec(&self) -> &'static ToolSpec {
        self.entry.spec
    }

    /// The description as a model reads it: [`ToolSpec::description`] without rustdoc's links.
    #[must_use]
    pub fn description(&self) -> &'a str {
        self.entry.description()
    }

    /// The parameters; generated at the first call of this function.
    ///
    /// # Errors
    ///
    /// When they have no portable form: see [`Toolbox::verify`](crate::Toolbox::verify).
    pub fn parameters(&self) -> Result<&'a Parameters, &'a SchemaError> {
        self.entry.parameters()
    }

    /// The schema of the parameters as a provider takes it, and what it does not say there.
    ///
    /// # Errors
    ///
    /// When the dialect cannot express it at all.
    pub fn schema(&self, dialect: Dialect) -> Result<(Value, Report), SchemaError> {
        self.entry.parameters().map_err(Clone::clone)?.in_dialect(dialect)
    }

    /// The schema of the [structured content](crate::ToolOutput::structured_content), in the portable form: of what a tool
    /// returns in a [`Json`](crate::Json). `None` when it has none. Hosts do not hold outputs to it.
    ///
    /// # Errors
    ///
    /// When it has no portable form: see [`Toolbox::verify`](crate::Toolbox::verify).
    pub fn output_schema(&self) -> Result<Option<&'a Value>, &'a SchemaError> {
        self.entry.output_schema()
    }

    /// How the tool runs beside other calls of one message, if it says so: one with session state is sequential, because
    /// hosts keep the results of a message in the order of its calls.
    #[must_use]
    pub fn execution(&self) -> Option<Execution> {
        if self.entry.state_keys.is_empty() { self.entry.spec.execution } else { Some(Execution::Sequential) }
    }

    /// The keys of the session state that a call changes.
    #[must_use]
    pub fn state_keys(&self) -> &'a [&'static str] {
        &self.entry.state_keys
    }
}

impl fmt::Debug for ToolRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ToolRef").field(&self.entry.spec.name).finish()
    }
}
