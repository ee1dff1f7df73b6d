//! What a tool is: everything that `#[pi_tool]` says can be written by hand with [`Tool`].

use std::sync::Arc;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, value::RawValue};

use crate::context::ToolContext;
use crate::error::ToolError;
use crate::output::ToolOutput;
use crate::pipeline;
use crate::schema::{LazyParameters, Parameters};
use crate::session::StateSet;
use crate::spec::ToolSpec;

/// A tool: its description, the type of its arguments, the state it keeps in the session, and what it does.
///
/// `#[pi_tool]` implements it for a function. By hand:
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
    type Arguments: DeserializeOwned + JsonSchema + Send + 'static;

    /// The session state that a call changes: `()`, or a list of [`SessionState`](crate::SessionState) types.
    type State: StateSet;

    /// What is known before a call.
    fn spec(&self) -> &'static ToolSpec;

    /// Runs one call. State is committed when it returns a success.
    fn call(
        &self,
        arguments: Self::Arguments,
        state: &mut Self::State,
        cx: &ToolContext,
    ) -> impl Future<Output = Result<ToolOutput, ToolError>> + Send;
}

/// A [`Tool`] without its types. Sealed: it is implemented for every tool.
#[async_trait]
pub trait ErasedTool: Send + Sync + 'static {
    #[doc(hidden)]
    fn spec(&self) -> &'static ToolSpec;

    #[doc(hidden)]
    fn state_keys(&self) -> Vec<&'static str>;

    #[doc(hidden)]
    fn parameters<'a>(&self, cache: &'a Cache) -> &'a Parameters;

    #[doc(hidden)]
    async fn run(self: Arc<Self>, call: Call<'_>) -> Result<ToolOutput, ToolError>;
}

/// What a toolbox keeps for each tool.
#[derive(Debug, Default)]
#[doc(hidden)]
pub struct Cache {
    pub(crate) parameters: LazyParameters,
    pub(crate) state_keys: Vec<&'static str>,
}

/// One call of an erased tool.
#[derive(Clone, Copy, Debug)]
#[doc(hidden)]
pub struct Call<'a> {
    pub(crate) arguments: &'a RawValue,
    pub(crate) cx: &'a ToolContext,
    pub(crate) cache: &'a Cache,
}

#[async_trait]
impl<T: Tool> ErasedTool for T {
    fn spec(&self) -> &'static ToolSpec {
        Tool::spec(self)
    }

    fn state_keys(&self) -> Vec<&'static str> {
        let mut keys = Vec::new();
        T::State::keys(&mut keys);
        keys
    }

    fn parameters<'a>(&self, cache: &'a Cache) -> &'a Parameters {
        cache.parameters.get::<T::Arguments>()
    }

    async fn run(self: Arc<Self>, Call { arguments, cx, cache }: Call<'_>) -> Result<ToolOutput, ToolError> {
        let arguments = pipeline::decode(self.spec(), arguments, || cache.parameters.get::<T::Arguments>())?;
        let states = cx.session().lock(&cache.state_keys).await;
        let mut state = T::State::load(&states)?;

        let output = if self.spec().blocking
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            let (cx, tool) = (cx.clone(), Arc::clone(&self));
            let blocking = runtime.clone().spawn_blocking(move || {
                let output = runtime.block_on(tool.call(arguments, &mut state, &cx));
                (output, state)
            });
            let output;
            (output, state) = blocking.await.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()));
            output?
        } else {
            self.call(arguments, &mut state, cx).await?
        };

        if output.is_error() || cache.state_keys.is_empty() {
            return Ok(output);
        }
        let mut snapshot = Map::new();
        state.store(&mut snapshot)?;
        states.commit(&snapshot);
        Ok(output.with_states(snapshot))
    }
}

/// One tool that is linked into the executable.
#[doc(hidden)]
#[expect(missing_debug_implementations, reason = "nobody sees it")]
pub struct Registration {
    make: fn() -> Arc<dyn ErasedTool>,
}

impl Registration {
    #[doc(hidden)]
    #[must_use]
    pub const fn new<T: Tool + Default>() -> Self {
        Self { make: || Arc::new(T::default()) }
    }

    pub(crate) fn tool(&self) -> Arc<dyn ErasedTool> {
        (self.make)()
    }
}

inventory::collect!(Registration);
