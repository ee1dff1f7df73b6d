//! What is known about a tool before it runs: its static description.

use core::any::{TypeId, type_name};
use core::fmt;
use core::panic::Location;

use serde::Serialize;

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
    /// Where the tool is written.
    pub location: &'static Location<'static>,
}

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
            location: Location::caller(),
        }
    }

    /// Sets [`prompt_snippet`](Self::prompt_snippet).
    #[must_use]
    pub const fn prompt_snippet(mut self, snippet: &'static str) -> Self {
        self.prompt_snippet = Some(snippet);
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
