//! What is known about a tool before it runs: its static description.

use core::any::{TypeId, type_name};
use core::fmt;
use core::panic::Location;
use core::time::Duration;

use serde::Serialize;
use serde_json::Value;

use crate::error::ToolError;

/// How many lines of an output are kept unless the tool says otherwise: Pi's number.
pub const DEFAULT_MAX_LINES: usize = 2000;
/// How many bytes of an output are kept unless the tool says otherwise: Pi's number.
pub const DEFAULT_MAX_BYTES: usize = 51_200;
/// How many lines of a drawn result are seen unless the tool says otherwise: Pi's number.
const DEFAULT_RENDER_LINES: usize = 10;

/// What a host tells a model about a tool, and what the runtime must know before a call.
///
/// `#[pi_tool]` writes one from the function; by hand it is built in a `const` or `static`.
///
/// # Example
///
/// ```
/// use pi_tools::{Execution, ToolSpec};
///
/// static SPEC: ToolSpec = ToolSpec::new("greet", "Greet", "Greet someone by name.")
///     .prompt_snippet("Greet someone")
///     .execution(Execution::Sequential);
/// assert_eq!(SPEC.name, "greet");
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct ToolSpec {
    /// The name that the model calls.
    pub name: &'static str,
    /// The name that a person sees.
    pub label: &'static str,
    /// What the tool does, for the model.
    pub description: &'static str,
    /// One line in the `<tools>` section of the system prompt.
    pub prompt_snippet: Option<&'static str>,
    /// Rules for the `<rules>` section of the system prompt; each names the tool.
    pub guidelines: &'static [&'static str],
    /// How the tool runs beside other calls of one batch; `None` leaves it to the host.
    pub execution: Option<Execution>,
    /// Old argument names that are still accepted.
    pub renames: &'static [Rename],
    /// The values that the application must provide.
    pub needs: &'static [Need],
    /// Changes the arguments before they are checked: by Pi, too, which runs the executable once more for it.
    pub prepare: Option<Prepare>,
    /// Whether the tool changes nothing.
    pub read_only: Option<bool>,
    /// Whether what the tool changes may be lost.
    pub destructive: Option<bool>,
    /// Whether a second call with the same arguments changes nothing more.
    pub idempotent: Option<bool>,
    /// Whether the tool reaches things outside of the machine.
    pub open_world: Option<bool>,
    /// The question that must be answered with yes before a call runs; `{argument}` stands for its value. The
    /// [`Host`](crate::Host) asks it, unless a [`Policy`](crate::Policy) answers in advance.
    pub confirm: Option<&'static str>,
    /// How long a call may take.
    pub timeout: Option<Duration>,
    /// Which part of an output that is too long is kept. A notice at its end says how much that is, and names a file with
    /// the whole text, which lasts as long as the [`Session`](crate::Session).
    pub truncate: Truncate,
    /// How many lines of an output are kept.
    pub max_lines: usize,
    /// How many bytes of an output are kept. The notice comes on top.
    pub max_bytes: usize,
    /// How the model reaches the tool in Pi.
    pub exposure: Option<Exposure>,
    /// The group that the tool belongs to in Pi.
    pub namespace: Option<&'static str>,
    /// Whether Pi offers the tool to the model without being told to.
    pub default_active: Option<bool>,
    /// The built-in tool of Pi that this one stands for.
    pub overrides: Option<&'static str>,
    /// How a call is drawn in Pi. `{argument}` stands for a value, with `{argument:accent bold}` in a colour of Pi's themes
    /// and an attribute of the text; `{{` is a brace.
    pub render_call: Option<&'static str>,
    /// How a result is drawn in Pi: `{text}` stands for its text, `{details.key}` for a value of its details.
    pub render_result: Option<&'static str>,
    /// How many lines of a drawn result are seen until the user expands it.
    pub render_lines: usize,
    /// Where the tool is written.
    pub location: &'static Location<'static>,
}

/// A function that changes the arguments before they are checked.
pub type Prepare = fn(Value) -> Result<Value, ToolError>;

impl ToolSpec {
    /// A description with nothing but the required parts; its [`location`](Self::location) is the caller's.
    #[track_caller]
    #[must_use]
    pub const fn new(name: &'static str, label: &'static str, description: &'static str) -> Self {
        Self {
            name,
            label,
            description,
            prompt_snippet: None,
            guidelines: &[],
            execution: None,
            renames: &[],
            needs: &[],
            prepare: None,
            read_only: None,
            destructive: None,
            idempotent: None,
            open_world: None,
            confirm: None,
            timeout: None,
            truncate: Truncate::Head,
            max_lines: DEFAULT_MAX_LINES,
            max_bytes: DEFAULT_MAX_BYTES,
            exposure: None,
            namespace: None,
            default_active: None,
            overrides: None,
            render_call: None,
            render_result: None,
            render_lines: DEFAULT_RENDER_LINES,
            location: Location::caller(),
        }
    }

    /// Sets [`prompt_snippet`](Self::prompt_snippet).
    #[must_use]
    pub const fn prompt_snippet(mut self, prompt_snippet: &'static str) -> Self {
        self.prompt_snippet = Some(prompt_snippet);
        self
    }

    /// Sets [`guidelines`](Self::guidelines).
    #[must_use]
    pub const fn guidelines(mut self, guidelines: &'static [&'static str]) -> Self {
        self.guidelines = guidelines;
        self
    }

    /// Sets [`execution`](Self::execution).
    #[must_use]
    pub const fn execution(mut self, execution: Execution) -> Self {
        self.execution = Some(execution);
        self
    }

    /// Sets [`renames`](Self::renames).
    #[must_use]
    pub const fn renames(mut self, renames: &'static [Rename]) -> Self {
        self.renames = renames;
        self
    }

    /// Sets [`needs`](Self::needs).
    #[must_use]
    pub const fn needs(mut self, needs: &'static [Need]) -> Self {
        self.needs = needs;
        self
    }

    /// Sets [`prepare`](Self::prepare).
    #[must_use]
    pub const fn prepare(mut self, prepare: Prepare) -> Self {
        self.prepare = Some(prepare);
        self
    }

    /// Sets [`read_only`](Self::read_only).
    #[must_use]
    pub const fn read_only(mut self, read_only: bool) -> Self {
        self.read_only = Some(read_only);
        self
    }

    /// Sets [`destructive`](Self::destructive).
    #[must_use]
    pub const fn destructive(mut self, destructive: bool) -> Self {
        self.destructive = Some(destructive);
        self
    }

    /// Sets [`idempotent`](Self::idempotent).
    #[must_use]
    pub const fn idempotent(mut self, idempotent: bool) -> Self {
        self.idempotent = Some(idempotent);
        self
    }

    /// Sets [`open_world`](Self::open_world).
    #[must_use]
    pub const fn open_world(mut self, open_world: bool) -> Self {
        self.open_world = Some(open_world);
        self
    }

    /// Sets [`confirm`](Self::confirm).
    #[must_use]
    pub const fn confirm(mut self, confirm: &'static str) -> Self {
        self.confirm = Some(confirm);
        self
    }

    /// Sets [`timeout`](Self::timeout).
    #[must_use]
    pub const fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sets [`truncate`](Self::truncate).
    #[must_use]
    pub const fn truncate(mut self, truncate: Truncate) -> Self {
        self.truncate = truncate;
        self
    }

    /// Sets [`max_lines`](Self::max_lines).
    #[must_use]
    pub const fn max_lines(mut self, max_lines: usize) -> Self {
        self.max_lines = max_lines;
        self
    }

    /// Sets [`max_bytes`](Self::max_bytes).
    #[must_use]
    pub const fn max_bytes(mut self, max_bytes: usize) -> Self {
        self.max_bytes = max_bytes;
        self
    }

    /// Sets [`exposure`](Self::exposure).
    #[must_use]
    pub const fn exposure(mut self, exposure: Exposure) -> Self {
        self.exposure = Some(exposure);
        self
    }

    /// Sets [`namespace`](Self::namespace).
    #[must_use]
    pub const fn namespace(mut self, namespace: &'static str) -> Self {
        self.namespace = Some(namespace);
        self
    }

    /// Sets [`default_active`](Self::default_active).
    #[must_use]
    pub const fn default_active(mut self, default_active: bool) -> Self {
        self.default_active = Some(default_active);
        self
    }

    /// Sets [`overrides`](Self::overrides).
    #[must_use]
    pub const fn overrides(mut self, overrides: &'static str) -> Self {
        self.overrides = Some(overrides);
        self
    }

    /// Sets [`render_call`](Self::render_call).
    #[must_use]
    pub const fn render_call(mut self, render_call: &'static str) -> Self {
        self.render_call = Some(render_call);
        self
    }

    /// Sets [`render_result`](Self::render_result).
    #[must_use]
    pub const fn render_result(mut self, render_result: &'static str) -> Self {
        self.render_result = Some(render_result);
        self
    }

    /// Sets [`render_lines`](Self::render_lines).
    #[must_use]
    pub const fn render_lines(mut self, render_lines: usize) -> Self {
        self.render_lines = render_lines;
        self
    }
}

/// Which part of an output that is too long is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Truncate {
    /// The beginning: for files and search results.
    #[default]
    Head,
    /// The end: for logs and the output of commands.
    Tail,
    /// All of it.
    None,
}

/// How the model reaches a tool in Pi.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Exposure {
    /// The model, scripts and other tools call it.
    Direct,
    /// Only the model calls it.
    ModelOnly,
    /// Scripts call it.
    Codemode,
    /// It is found by a search for tools.
    Deferred,
    /// Nobody calls it.
    Hidden,
}

/// What a `prepare` function may return.
#[diagnostic::on_unimplemented(
    message = "a `prepare` function returns `serde_json::Value`, or a `Result` of it",
    label = "returns `{Self}`"
)]
pub trait Prepared {
    #[doc(hidden)]
    fn prepared(self) -> Result<Value, ToolError>;
}

impl Prepared for Value {
    fn prepared(self) -> Result<Value, ToolError> {
        Ok(self)
    }
}

#[diagnostic::do_not_recommend]
impl<E: Into<ToolError>> Prepared for Result<Value, E> {
    fn prepared(self) -> Result<Value, ToolError> {
        self.map_err(Into::into)
    }
}

/// How calls of a tool run beside the other calls of one assistant message.
///
/// One sequential tool in a message makes Pi run all calls of that message one after another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Execution {
    /// One call at a time, in the order of the message.
    Sequential,
    /// Together with others.
    Parallel,
}

impl Execution {
    /// The name that Pi uses: `sequential` or `parallel`.
    ///
    /// ```
    /// assert_eq!(pi_tools::Execution::Sequential.as_str(), "sequential");
    /// ```
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Sequential => "sequential",
            Self::Parallel => "parallel",
        }
    }
}

/// An argument name that is accepted in place of another.
///
/// When both are present the old one is dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Rename {
    /// The name that is still accepted.
    pub from: &'static str,
    /// The name that the tool declares.
    pub to: &'static str,
}

/// A type whose value the application must provide before the tool can run.
#[derive(Clone, Copy)]
pub struct Need {
    id: fn() -> TypeId,
    name: fn() -> &'static str,
}

impl Need {
    /// The need for a value of type `T`.
    ///
    /// ```
    /// const NEEDS: &[pi_tools::Need] = &[pi_tools::Need::of::<u32>()];
    /// assert_eq!(NEEDS[0].type_name(), "u32");
    /// ```
    #[must_use]
    pub const fn of<T: ?Sized + 'static>() -> Self {
        Self { id: TypeId::of::<T>, name: type_name::<T> }
    }

    /// Identifies the type.
    #[must_use]
    pub fn id(&self) -> TypeId {
        (self.id)()
    }

    /// The type's name, for messages.
    #[must_use]
    pub fn type_name(&self) -> &'static str {
        (self.name)()
    }
}

impl fmt::Debug for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Need").field(&self.type_name()).finish()
    }
}
