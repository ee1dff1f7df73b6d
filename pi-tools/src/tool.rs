//! What a tool is: everything that `#[pi_tool]` says can be written by hand with [`Tool`].

mod arguments;
mod entry;
mod probe;

use std::any::TypeId;
use std::path::PathBuf;
use std::pin::{Pin, pin};
use std::sync::OnceLock;
use std::task::{Context, Poll, Waker};

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::argument::Argument;
use crate::context::ToolContext;
use crate::error::ToolError;
use crate::output::{OutputSchema, ToolOutput};
use crate::path::FilePaths;
use crate::schema::{Parameters, SchemaError};
use crate::session::{Locked, SessionState, StateSet, store};
use crate::spec::ToolSpec;

pub use arguments::Arguments;
pub(crate) use arguments::Stage;
pub(crate) use entry::Entry;
pub use entry::ToolRef;

/// A tool: its description, the type of its arguments, the state it keeps in the session, and what it does.
///
/// `#[pi_tool]` makes one of a function. By hand:
///
/// ```
/// use pi_tools::{Tool, ToolContext, ToolError, ToolOutput, ToolSpec, Toolbox};
///
/// struct Add;
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Numbers {
///     /// One number.
///     a: i64,
///     /// Another number.
///     b: i64,
/// }
///
/// impl Tool for Add {
///     type Arguments = Numbers;
///     type State = ();
///
///     fn spec(&self) -> &'static ToolSpec {
///         static SPEC: ToolSpec = ToolSpec::new("add", "Add", "Add two numbers.");
///         &SPEC
///     }
///
///     async fn call(&self, numbers: Numbers, _: &mut (), _: &ToolContext) -> Result<ToolOutput, ToolError> {
///         Ok(ToolOutput::text((numbers.a + numbers.b).to_string()))
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let toolbox = Toolbox::builder().tool(Add).build().unwrap();
/// assert_eq!(toolbox.call("add", r#"{"a":2,"b":3}"#).await.to_text(), "5");
/// # }
/// ```
pub trait Tool: Send + Sync + 'static {
    /// What the model's arguments decode into.
    type Arguments: DeserializeOwned + JsonSchema + Send;

    /// The session state that a call changes: `()`, or a list of [`SessionState`](crate::SessionState) types.
    type State: StateSet;

    /// What is known before a call.
    fn spec(&self) -> &'static ToolSpec;

    /// How the schema of the structured content is generated, if the outputs have some: `Json::<T>::output_schema()`, with
    /// [`IntoToolOutput`](crate::IntoToolOutput) in scope.
    fn output_schema(&self) -> Option<OutputSchema> {
        None
    }

    /// Runs one call. State is committed when it returns a success.
    fn call(
        &self,
        arguments: Self::Arguments,
        state: &mut Self::State,
        cx: &ToolContext,
    ) -> impl Future<Output = Result<ToolOutput, ToolError>> + Send;
}

/// A tool without its types. Not for other use.
pub trait ErasedTool: Send + Sync + 'static {
    #[doc(hidden)]
    fn spec(&self) -> &'static ToolSpec;

    #[doc(hidden)]
    fn state_keys(&self) -> Vec<&'static str>;

    /// Generated when first asked for.
    #[doc(hidden)]
    fn parameters(&self) -> Result<&Parameters, &SchemaError>;

    #[doc(hidden)]
    fn output_schema(&self) -> Option<OutputSchema>;

    /// Whether arguments are something else before they are checked, so that they do not decode as they come.
    #[doc(hidden)]
    fn is_prepared(&self) -> bool {
        false
    }

    /// Whether it gets the context of its call, and not only values from it.
    #[doc(hidden)]
    fn takes_context(&self) -> bool {
        true
    }

    /// Decodes the arguments. With a `place`, what will not wait runs to its end, which is left there; then there is
    /// nothing more to run.
    #[doc(hidden)]
    fn start<'a>(&'a self, call: Call<'a>, place: Option<&mut End>) -> Result<Option<Started<'a>>, StartError>;
}

/// What a call has left, if it is over and no failure.
pub type End = Poll<ToolOutput>;

/// One call of an erased tool.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// A text, which may be no JSON.
    pub arguments: &'a str,
    pub states: &'a Locked,
    pub cx: &'a ToolContext,
}

/// A call whose arguments are decoded: what it does, once it has the files that it changes.
#[doc(hidden)]
#[expect(missing_debug_implementations, reason = "nobody sees it")]
pub struct Started<'a> {
    pub(crate) body: Body<'a>,
    /// None at all for most calls, which then have none to drop.
    pub(crate) files: Option<Box<[PathBuf]>>,
}

pub(crate) enum Body<'a> {
    /// Of an `async fn`.
    Async(Pin<Box<dyn Future<Output = Result<Finished, ToolError>> + Send + 'a>>),
    /// Of a `fn`, which may block.
    Blocking(Box<dyn FnOnce() -> Result<Finished, ToolError> + Send>),
}

/// What a call left.
#[doc(hidden)]
#[derive(Debug)]
pub struct Finished {
    pub(crate) output: ToolOutput,
    /// The states by key, if there are any, and what holds them. They are not the session's yet: who looks at the output
    /// may still find that it is a failure.
    pub(crate) states: Option<Box<(Map<String, Value>, Locked)>>,
}

/// Why a call did not start.
#[doc(hidden)]
#[derive(Debug)]
pub enum StartError {
    Decode(serde_json::Error),
    /// Boxed, so that a start is no larger for it.
    Tool(Box<ToolError>),
    /// The body ran at once, and failed.
    Body(Box<ToolError>),
}

impl From<serde_json::Error> for StartError {
    fn from(error: serde_json::Error) -> Self {
        Self::Decode(error)
    }
}

impl From<ToolError> for StartError {
    fn from(error: ToolError) -> Self {
        Self::Tool(Box::new(error))
    }
}

/// The parameters of a tool, once they are generated.
pub(crate) type Generated = OnceLock<Result<Parameters, SchemaError>>;

/// A [`Tool`] by hand.
struct ByHand<T> {
    tool: T,
    parameters: Generated,
}

impl<T: Tool> ErasedTool for ByHand<T> {
    fn spec(&self) -> &'static ToolSpec {
        self.tool.spec()
    }

    fn state_keys(&self) -> Vec<&'static str> {
        let mut keys = Vec::new();
        T::State::keys(&mut keys);
        keys
    }

    fn parameters(&self) -> Result<&Parameters, &SchemaError> {
        self.parameters.get_or_init(Parameters::of::<T::Arguments>).as_ref()
    }

    fn output_schema(&self) -> Option<OutputSchema> {
        self.tool.output_schema()
    }

    fn is_prepared(&self) -> bool {
        // A type of somebody else may take unknown names, and with them the old ones.
        self.spec().prepare.is_some() || !self.spec().renames.is_empty()
    }

    fn start<'a>(&'a self, call: Call<'a>, _: Option<&mut End>) -> Result<Option<Started<'a>>, StartError> {
        let Call { arguments, states, cx } = call;
        let arguments = serde_json::from_str(arguments)?;
        let mut state = T::State::load(states)?;
        Ok(Some(Started::new(async move {
            let output = self.tool.call(arguments, &mut state, cx).await?;
            let mut states = Map::new();
            state.store(&mut states)?;
            let states = (!states.is_empty()).then(|| Box::new((states, Locked::none())));
            Ok(Finished { output, states })
        })))
    }
}

/// A function that is a tool: what `#[pi_tool]` writes, as data.
#[doc(hidden)]
#[expect(missing_debug_implementations, reason = "nobody sees it")]
pub struct FunctionTool {
    pub spec: ToolSpec,
    /// The module that the function is in, for the crate's name.
    pub module: &'static str,
    /// Whether it is a part of an executable, which may have its package's library's name.
    pub is_executable: bool,
    pub arguments: &'static [Argument],
    /// Whether the one argument is all of them.
    pub is_flattened: bool,
    /// Whether the argument of a slot may be left out.
    pub is_optional: fn(usize) -> bool,
    /// The keys of the states.
    pub states: &'static [&'static str],
    pub parameters: Generated,
    pub output_schema: fn() -> Option<OutputSchema>,
    pub start: for<'a> fn(Call<'a>, Option<&mut End>) -> Result<Option<Started<'a>>, StartError>,
}

impl ErasedTool for &'static FunctionTool {
    fn spec(&self) -> &'static ToolSpec {
        &self.spec
    }

    fn state_keys(&self) -> Vec<&'static str> {
        self.states.to_vec()
    }

    fn parameters(&self) -> Result<&Parameters, &SchemaError> {
        let generate = || match self.arguments {
            [argument] if self.is_flattened => Parameters::of_flattened(argument),
            arguments => Parameters::of_arguments(arguments, self.is_optional),
        };
        self.parameters.get_or_init(generate).as_ref()
    }

    fn output_schema(&self) -> Option<OutputSchema> {
        (self.output_schema)()
    }

    fn is_prepared(&self) -> bool {
        // Serde's own way to refuse unknown fields does not go with variants.
        self.is_flattened || self.spec.prepare.is_some()
    }

    fn takes_context(&self) -> bool {
        self.spec.needs.iter().any(|need| need.id() == TypeId::of::<ToolContext>())
    }

    fn start<'a>(&'a self, call: Call<'a>, place: Option<&mut End>) -> Result<Option<Started<'a>>, StartError> {
        (self.start)(call, place)
    }
}

/// What a function that is a tool is linked into the executable with.
#[doc(hidden)]
#[expect(missing_debug_implementations, reason = "nobody sees it")]
pub struct Registration(pub &'static FunctionTool);

inventory::collect!(Registration);

/// A crate that must contribute a tool, and the module that says so.
#[doc(hidden)]
#[expect(missing_debug_implementations, reason = "nobody sees it")]
pub struct Bundled {
    pub krate: &'static str,
    pub by: &'static str,
    pub is_executable: bool,
}

inventory::collect!(Bundled);

impl Bundled {
    /// Whether the crate has a tool, or brings others along.
    pub(crate) fn contributes(&self) -> bool {
        let is_in = |module: &str| module.split("::").next() == Some(self.krate);
        inventory::iter::<Registration>().any(|Registration(tool)| !tool.is_executable && is_in(tool.module))
            || inventory::iter::<Self>().any(|bundled| !bundled.is_executable && is_in(bundled.by))
    }
}

/// What a toolbox can hold: a [`Tool`], or the handle of a `#[pi_tool]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tool",
    note = "write `#[pi_tool(handle = Name)]` on the function and pass `Name`, or implement `Tool`"
)]
pub trait IntoTool {
    #[doc(hidden)]
    fn into_tool(self) -> Box<dyn ErasedTool>;
}

#[diagnostic::do_not_recommend]
impl<T: Tool> IntoTool for T {
    fn into_tool(self) -> Box<dyn ErasedTool> {
        Box::new(ByHand { tool: self, parameters: OnceLock::new() })
    }
}

impl Call<'_> {
    /// A copy of the session's state.
    #[doc(hidden)]
    pub fn state<S: SessionState>(&self) -> Result<S, StartError> {
        Ok(self.states.load()?)
    }

    /// The files that an argument names.
    #[doc(hidden)]
    pub fn files<T: FilePaths>(&self, argument: &T) -> Result<Vec<PathBuf>, StartError> {
        Ok(argument.file_paths(self.cx.cwd()).map_err(ToolError::from)?)
    }
}

impl<'a> Started<'a> {
    #[doc(hidden)]
    pub fn new(future: impl Future<Output = Result<Finished, ToolError>> + Send + 'a) -> Self {
        Self { body: Body::Async(Box::pin(future)), files: None }
    }

    /// Runs what never waits, if there is a place for its end.
    #[doc(hidden)]
    pub fn at_once<T: 'a>(
        place: Option<&mut End>,
        future: impl Future<Output = T> + Send + 'a,
        convert: impl FnOnce(T) -> Result<ToolOutput, ToolError> + Send + 'a,
    ) -> Result<Option<Self>, StartError> {
        let Some(place) = place else {
            return Ok(Some(Self::new(async move { convert(future.await).map(Finished::new) })));
        };
        let Poll::Ready(value) = pin!(future).poll(&mut Context::from_waker(Waker::noop())) else {
            panic!("a macro of its body awaits under the name of one of the standard library's: rename it");
        };
        *place = Poll::Ready(convert(value).map_err(|error| StartError::Body(Box::new(error)))?);
        Ok(None)
    }

    #[doc(hidden)]
    pub fn blocking(body: impl FnOnce() -> Result<Finished, ToolError> + Send + 'static) -> Self {
        Self { body: Body::Blocking(Box::new(body)), files: None }
    }

    /// Adds the files that the call changes, argument by argument.
    #[doc(hidden)]
    #[must_use]
    pub fn mutating(mut self, files: impl IntoIterator<Item = Vec<PathBuf>>) -> Self {
        let files: Box<[PathBuf]> = files.into_iter().flatten().collect();
        self.files = (!files.is_empty()).then_some(files);
        self
    }
}

impl Finished {
    #[doc(hidden)]
    #[must_use]
    pub fn new(output: ToolOutput) -> Self {
        Self { output, states: None }
    }

    /// Adds what the call made of a state.
    #[doc(hidden)]
    pub fn state<S: SessionState>(mut self, state: &S) -> Result<Self, ToolError> {
        store(state, &mut self.states.get_or_insert_with(|| Box::new((Map::new(), Locked::none()))).0)?;
        Ok(self)
    }
}
