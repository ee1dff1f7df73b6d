//! The tools of an application: collected, sorted, checked, and called by name.

mod states;

use std::any::Any;
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::sync::OnceLock;
use std::task::Context;

use foldhash::fast::FixedState;
use serde_json::Value;

use crate::check::{self, Findings};
use crate::context::{Provided, ToolContext};
use crate::declaration::Declarations;
use crate::error::{ToolError, ToolboxError};
use crate::output::ToolOutput;
use crate::policy::Policy;
use crate::prompt::Prompt;
use crate::run::{self, Ended, Given, Rest};
use crate::schema::Dialect;
use crate::session::DrawnEntry;
use crate::tool::{Arguments, Bundled, End, Entry, ErasedTool, Finished, IntoTool, Registration, ToolRef};

/// A set of tools, in the order of their names.
///
/// # Example
///
/// ```standalone_crate
/// use pi_tools::prelude::*;
///
/// /// Greet someone by name.
/// #[pi_tool]
/// async fn greet(
///     /// Whom to greet.
///     name: String,
/// ) -> String {
///     format!("Hello, {name}!")
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let toolbox = Toolbox::collect().unwrap();
/// let output = toolbox.call("greet", r#"{"name":"Ada"}"#).await;
/// assert_eq!(output.to_text(), "Hello, Ada!");
///
/// let output = toolbox.call("greet", r#"{"nane":"Ada"}"#).await;
/// assert!(output.is_error());
/// assert!(output.to_text().starts_with("Validation failed for tool \"greet\":\n  - name: missing\n  - nane: unknown field\n"));
/// # }
/// ```
pub struct Toolbox {
    entries: Vec<Entry>,
    /// Where each is, by its name.
    places: HashMap<&'static str, usize, FixedState>,
    declarations: [OnceLock<Result<Declarations, ToolboxError>>; Dialect::ALL.len()],
    cx: ToolContext,
    provided: Provided,
    policy: Policy,
}

impl Toolbox {
    /// All tools that are linked into the executable.
    ///
    /// # Errors
    ///
    /// As [`ToolboxBuilder::build`].
    pub fn collect() -> Result<Self, ToolboxError> {
        Self::builder().linked().build()
    }

    /// An empty builder.
    pub fn builder() -> ToolboxBuilder {
        ToolboxBuilder::default()
    }

    /// Narrows what may run by a policy, on top of those that are there.
    #[must_use]
    pub fn with_policy(mut self, policy: Policy) -> Self {
        self.policy = self.policy.and(policy);
        self
    }

    /// The tools, in the order of their names.
    #[must_use]
    pub fn tools(&self) -> impl ExactSizeIterator<Item = ToolRef<'_>> {
        self.entries.iter().map(|entry| ToolRef { entry })
    }

    /// The tool of this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<ToolRef<'_>> {
        self.places.get(name).map(|place| ToolRef { entry: &self.entries[*place] })
    }

    /// Generates the schemas of all tools, which otherwise happens when each is first asked for.
    ///
    /// # Errors
    ///
    /// Tools whose parameters have no portable form, a default that they refuse or a keyword that nobody would enforce,
    /// whose name a provider refuses, or that are drawn with what is no argument: all of them, each with its place.
    pub fn verify(&self) -> Result<(), ToolboxError> {
        let problems = self.entries.iter().flat_map(|entry| {
            let spec = entry.spec;
            check::faults(entry).into_iter().map(|fault| format!("tool `{}` ({}): {fault}", spec.name, spec.location))
        });
        ToolboxError::check(problems.collect())
    }

    /// All of [`verify`](Self::verify), and what takes a test's time: whether every parameter has a description, every
    /// dialect takes every tool, an override takes what the built-in takes, and whether what the schema accepts decodes,
    /// and what decodes the schema accepts, for generated values.
    ///
    /// [`check!`](crate::check) makes a test of it for the linked tools.
    ///
    /// ```
    /// use pi_tools::prelude::*;
    /// use pi_tools::schema::Dialect;
    ///
    /// /// Walk a tree.
    /// #[pi_tool(handle = Walk, register = false)]
    /// fn walk(
    ///     /// Its root.
    ///     root: Node,
    /// ) {
    /// }
    ///
    /// #[derive(Deserialize, schemars::JsonSchema)]
    /// struct Node {
    ///     children: Vec<Node>,
    /// }
    /// # use pi_tools::schemars;
    ///
    /// let toolbox = Toolbox::builder().tool(Walk).build().unwrap();
    /// let error = toolbox.check(&Dialect::ALL).unwrap_err();
    /// assert!(error.to_string().contains("google: root"), "{error}");
    /// toolbox.check(&[Dialect::OpenAi, Dialect::Anthropic]).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// All of it, each with its tool and place.
    pub fn check(&self, dialects: &[Dialect]) -> Result<(), ToolboxError> {
        ToolboxError::check(Findings::new(self.tools(), dialects).problems())
    }

    /// Compares with an earlier output of the command `manifest`: whether what sessions with those tools may hold these
    /// tools still accept.
    ///
    /// ```
    /// # use pi_tools::prelude::*;
    /// # /// Greet someone by name.
    /// # #[pi_tool(handle = Greet, register = false)]
    /// # fn greet(
    /// #     /// Whom to greet.
    /// #     name: String,
    /// # ) {
    /// # }
    /// let earlier = serde_json::json!({"tools": [{
    ///     "name": "greet",
    ///     "parameters": {"type": "object", "properties": {"who": {"type": "string"}}, "required": ["who"],
    ///         "additionalProperties": false},
    /// }]});
    /// let toolbox = Toolbox::builder().tool(Greet).build().unwrap();
    /// assert_eq!(
    ///     toolbox.check_against(&earlier).unwrap_err().problems(),
    ///     [
    ///         "tool `greet`: who: is gone, and nothing has its name as an alias",
    ///         "tool `greet`: name: is required now",
    ///     ],
    /// );
    /// ```
    ///
    /// # Errors
    ///
    /// Tools that are gone, arguments that are gone without an alias or newly required, types, values and bounds that
    /// allow less: all of them.
    pub fn check_against(&self, manifest: &Value) -> Result<(), ToolboxError> {
        ToolboxError::check(check::breaks(|name| self.get(name), manifest))
    }

    /// The tools as a provider's request declares them; made at the first call of this function with the dialect.
    ///
    /// In a strict dialect each tool claims strict mode for which it holds.
    ///
    /// # Errors
    ///
    /// Tools whose name the provider refuses, or whose parameters its dialect cannot express at all: all of them, each
    /// with its place.
    pub fn declarations(&self, dialect: Dialect) -> Result<&Declarations, &ToolboxError> {
        let place = Dialect::ALL.iter().position(|other| *other == dialect).unwrap_or_default();
        self.declarations[place].get_or_init(|| Declarations::new(self.tools(), dialect)).as_ref()
    }

    /// What a system prompt says of the tools, in Pi's sections; narrowed and added to before it is written.
    ///
    /// ```
    /// # use pi_tools::prelude::*;
    /// /// Greet someone by name.
    /// #[pi_tool(handle = Greet, register = false, prompt_snippet = "Greet someone")]
    /// fn greet() {}
    ///
    /// let toolbox = Toolbox::builder().tool(Greet).build().unwrap();
    /// let sections = toolbox.prompt().rule("Answer in French").sections();
    /// assert!(sections.to_string().starts_with("<tools>\n- greet: Greet someone\n"));
    /// assert!(toolbox.prompt().only([]).active().is_empty());
    /// ```
    pub fn prompt(&self) -> Prompt<'_> {
        Prompt::new().extension(self.tools().map(|tool| tool.spec().into()))
    }

    /// Calls a tool in the toolbox's own session. An error is an output with [`ToolOutput::is_error`].
    pub fn call<'a>(&'a self, name: &'a str, arguments: impl Into<Arguments<'a>>) -> impl Future<Output = ToolOutput> {
        self.call_with(name, arguments, &self.cx)
    }

    /// Calls a tool in a given context. An error is an output with [`ToolOutput::is_error`].
    ///
    /// A call that the [`Policy`] does not allow is an error, and so is a panic in the tool. A cancelled call has a short grace to end by itself; then its future is
    /// dropped and the output says `Operation aborted`. What is too long is cut, as
    /// [`ToolSpec::truncate`](crate::ToolSpec::truncate) says; the whole text is in a file as long as the context's
    /// [`Session`](crate::Session) is there.
    pub fn call_with<'a>(
        &'a self,
        name: &'a str,
        arguments: impl Into<Arguments<'a>>,
        cx: &'a ToolContext,
    ) -> impl Future<Output = ToolOutput> {
        let mut given = Given::Text(arguments.into(), &self.policy);
        let first = move |task: &mut Context<'_>, end: &mut End| {
            let Some(ToolRef { entry }) = self.get(name) else {
                return Err(ToolError::new(format!("Tool {name} not found")).into());
            };
            if given.owns() || cx.lacks(&self.provided) {
                return Ok(Some(Box::pin(self.call_owning(entry, std::mem::take(&mut given), cx)) as Rest<'_>));
            }
            run::start_call(entry, &mut given, cx, task, end)
        };
        run::in_steps(first, |ended| match ended {
            Ok(Finished { output, states: None }) => output,
            ended => stored(ended),
        })
    }

    /// A call that has its arguments or its context to itself.
    async fn call_owning(&self, entry: &Entry, given: Given<'_>, cx: &ToolContext) -> Ended {
        run::run(entry, given.lent(), &self.provide(cx)).await
    }

    pub(crate) fn policy(&self) -> &Policy {
        &self.policy
    }

    /// The context of the toolbox's own session.
    pub(crate) fn context(&self) -> &ToolContext {
        &self.cx
    }

    /// The context with the toolbox's own values.
    pub(crate) fn provide<'a>(&self, cx: &'a ToolContext) -> Cow<'a, ToolContext> {
        let mut cx = Cow::Borrowed(cx);
        if cx.lacks(&self.provided) {
            cx.to_mut().provide(&self.provided);
        }
        cx
    }
}

/// The output of a call that has states to store, or has failed.
#[cold]
fn stored(result: Ended) -> ToolOutput {
    result.map_or_else(|failed| ToolError::from(failed).into(), Finished::commit)
}

impl fmt::Debug for Toolbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.entries.iter().map(|entry| entry.spec.name)).finish()
    }
}

/// Builds a [`Toolbox`].
///
/// # Example
///
/// A tool that is not registered, with a value that the application provides:
///
/// ```
/// use pi_tools::prelude::*;
///
/// struct Config {
///     greeting: String,
/// }
///
/// /// Greet someone by name.
/// #[pi_tool(handle = Greet, register = false)]
/// fn greet(
///     /// Whom to greet.
///     name: String,
///     config: &Config,
/// ) -> String {
///     format!("{}, {name}!", config.greeting)
/// }
///
/// let error = Toolbox::builder().tool(Greet).build().unwrap_err();
/// assert!(error.to_string().contains("Config"));
///
/// let config = Config { greeting: "Good morning".to_owned() };
/// let toolbox = Toolbox::builder().tool(Greet).provide(config).build().unwrap();
/// assert_eq!(toolbox.tools().len(), 1);
/// ```
#[derive(Default)]
#[must_use]
pub struct ToolboxBuilder {
    tools: Vec<Box<dyn ErasedTool>>,
    problems: Vec<String>,
    provided: Provided,
    policy: Policy,
}

impl ToolboxBuilder {
    /// Adds all tools that are linked into the executable.
    pub fn linked(mut self) -> Self {
        for Registration(tool) in inventory::iter::<Registration>() {
            self.tools.push(Box::new(*tool));
        }
        let mut silent: Vec<_> = inventory::iter::<Bundled>().filter(|bundled| !bundled.contributes()).collect();
        silent.sort_by_key(|bundled| bundled.krate);
        self.problems.extend(DrawnEntry::problems(&DrawnEntry::linked()));
        self.problems.extend(silent.into_iter().map(|Bundled { krate, .. }| {
            format!(
                "the crate `{krate}` of `bundle!` contributes no tool: it has none, all are `register = false`, or the \
                 crate has another name, so write `extern crate {krate} as its_own_name;` and bundle that"
            )
        }));
        self
    }

    /// Adds one tool.
    pub fn tool(mut self, tool: impl IntoTool) -> Self {
        self.tools.push(tool.into_tool());
        self
    }

    /// Provides the value for `&T` parameters. A second value of one type replaces the first.
    pub fn provide<T: Any + Send + Sync>(mut self, value: T) -> Self {
        self.provided.insert(value);
        self
    }

    /// Narrows what may run by a policy, on top of those that are there.
    pub fn policy(mut self, policy: Policy) -> Self {
        self.policy = self.policy.and(policy);
        self
    }

    /// The toolbox.
    ///
    /// # Errors
    ///
    /// Two tools of one name, and a tool that needs a value that nobody provides: all of them, each with the place of
    /// the tool.
    pub fn build(self) -> Result<Toolbox, ToolboxError> {
        let provided = self.provided.clone();
        let toolbox = self.build_unprovided()?;
        let missing = toolbox.entries.iter().flat_map(|entry| {
            let spec = entry.spec;
            spec.needs.iter().filter(|need| !provided.has(need.id())).map(|need| {
                format!(
                    "tool `{}` ({}) needs a `{}`, which nobody provides: add `.provide(value)`, or `provide = setup` to `main!`",
                    spec.name,
                    spec.location,
                    need.type_name()
                )
            })
        });
        ToolboxError::check(missing.collect())?;
        Ok(toolbox)
    }

    /// A toolbox to look at: its tools cannot all be called.
    pub(crate) fn build_unprovided(self) -> Result<Toolbox, ToolboxError> {
        let mut entries: Vec<Entry> = self.tools.into_iter().map(Entry::new).collect();
        entries.sort_by_key(|entry| (entry.spec.name, entry.spec.location.file(), entry.spec.location.line()));
        let duplicates = entries.windows(2).filter(|pair| pair[0].spec.name == pair[1].spec.name).map(|pair| {
            format!(
                "two tools have the name `{}`: {} and {}",
                pair[0].spec.name, pair[0].spec.location, pair[1].spec.location
            )
        });
        let shared = entries.iter().flat_map(|entry| {
            let keys = &entry.state_keys;
            let twice = keys.iter().enumerate().filter(|(index, key)| keys[..*index].contains(key));
            twice.map(|(_, key)| {
                format!(
                    "tool `{}` ({}) takes two states with the key `{key}`, of which one would be lost: give one of the types another key",
                    entry.spec.name, entry.spec.location
                )
            })
        });
        ToolboxError::check(self.problems.into_iter().chain(duplicates).chain(shared).collect())?;
        let mut cx = ToolContext::new();
        cx.provide(&self.provided);
        let places = entries.iter().map(|entry| entry.spec.name).zip(0..).collect();
        Ok(Toolbox {
            entries,
            places,
            declarations: Default::default(),
            cx,
            provided: self.provided,
            policy: self.policy,
        })
    }
}

impl fmt::Debug for ToolboxBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.tools.iter().map(|tool| tool.spec().name)).finish()
    }
}
