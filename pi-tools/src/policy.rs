//! What may run: rules about tools, and the question that a tool asks before a call.

mod question;

use std::error::Error;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde_json::Value;

use crate::error::ToolError;
use crate::output::ToolOutput;
use crate::spec::ToolSpec;
use crate::tool::ToolRef;

/// Pi's words for a call that must not run.
const BLOCKED: &str = "Tool execution was blocked";

/// Which calls of a [`Toolbox`](crate::Toolbox) may run: without one all of them, once the questions of their tools
/// ([`ToolSpec::confirm`]) are answered with yes.
///
/// It is asked when the arguments are in order, and in a [`Batch`](crate::Batch) after the hooks, so what it sees is what
/// the tool gets. A call that must not run is an error that begins with Pi's words, `Tool execution was blocked`. The
/// tools stay in [`Toolbox::tools`](crate::Toolbox::tools) and its declarations: to keep them from the model as well, give
/// the toolbox less tools.
///
/// Policies are put together with [`and`](Self::and): all must agree, so one more never allows more, except that
/// [`yes`](Self::yes) answers questions.
///
/// As a text, for the command line's `--policy`, rules stand one after another, with spaces between them:
///
/// | rule | stands for |
/// | --- | --- |
/// | `read-only` | [`Policy::read_only`] |
/// | `allow=TOOLS`, `deny=TOOLS` | [`Policy::allow`], [`Policy::deny`]; with commas between the [`Tools`] |
/// | `yes` | [`Policy::yes`] |
///
/// # Example
///
/// ```
/// use pi_tools::prelude::*;
/// use pi_tools::{Policy, Tools};
///
/// /// Look at a file.
/// #[pi_tool(read_only, handle = Look, register = false)]
/// fn look() -> String {
///     "seen".to_owned()
/// }
///
/// /// Remove a file.
/// #[pi_tool(destructive, confirm = "Remove {path}?", handle = Remove, register = false)]
/// fn remove(
///     /// Which.
///     path: String,
/// ) -> String {
///     format!("removed {path}")
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let with = |policy| Toolbox::builder().tool(Look).tool(Remove).policy(policy).build().unwrap();
/// let arguments = r#"{"path":"notes"}"#;
///
/// let toolbox = with(Policy::read_only());
/// assert_eq!(toolbox.call("look", "{}").await.to_text(), "seen");
/// let output = toolbox.call("remove", arguments).await;
/// assert_eq!(output.to_text(), "Tool execution was blocked by the policy `read-only`");
///
/// let toolbox = with(Policy::deny([Tools::Destructive, Tools::from("move")]));
/// let output = toolbox.call("remove", arguments).await;
/// assert_eq!(output.to_text(), "Tool execution was blocked by the policy `deny=@destructive,move`");
///
/// // Nobody is there to be asked.
/// let output = with(Policy::all()).call("remove", arguments).await;
/// assert!(output.to_text().contains(r#"it needs the answer yes to "Remove notes?""#));
/// assert_eq!(with(Policy::yes()).call("remove", arguments).await.to_text(), "removed notes");
///
/// let from_text: Policy = "yes allow=look".parse().unwrap();
/// assert!(with(from_text).call("remove", arguments).await.is_error());
/// # }
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Policy {
    rules: Vec<Rule>,
    is_yes: bool,
}

#[derive(Clone)]
enum Rule {
    Only(Vec<Tools>),
    Not(Vec<Tools>),
    Decide(Arc<Decide>),
}

type Decide = dyn Fn(ToolRef<'_>, &Value) -> Decision + Send + Sync;

impl Policy {
    /// Everything runs that its own question does not stop: the default.
    pub fn all() -> Self {
        Self::default()
    }

    /// Only tools run that say they change nothing ([`ToolSpec::read_only`]).
    pub fn read_only() -> Self {
        Self::allow([Tools::ReadOnly])
    }

    /// Only these tools run.
    pub fn allow<T: Into<Tools>>(tools: impl IntoIterator<Item = T>) -> Self {
        Self::rule(Rule::Only(tools.into_iter().map(Into::into).collect()))
    }

    /// These tools do not run.
    pub fn deny<T: Into<Tools>>(tools: impl IntoIterator<Item = T>) -> Self {
        Self::rule(Rule::Not(tools.into_iter().map(Into::into).collect()))
    }

    /// A function of the application decides, by the tool and its checked arguments. One that must wait is a
    /// [`Hook`](crate::Hook).
    ///
    /// ```
    /// use pi_tools::{Decision, Policy};
    ///
    /// let policy = Policy::decide(|tool, arguments| match arguments["path"].as_str() {
    ///     Some(path) if path.starts_with('/') => Decision::block("only files of this project"),
    ///     _ => Decision::Run,
    /// });
    /// ```
    pub fn decide(decide: impl Fn(ToolRef<'_>, &Value) -> Decision + Send + Sync + 'static) -> Self {
        Self::rule(Rule::Decide(Arc::new(decide)))
    }

    /// The questions of tools are answered with yes, and nobody is asked.
    pub fn yes() -> Self {
        Self { is_yes: true, ..Self::default() }
    }

    /// What both allow. A question is answered by either.
    pub fn and(mut self, other: Self) -> Self {
        self.rules.extend(other.rules);
        self.is_yes |= other.is_yes;
        self
    }

    fn rule(rule: Rule) -> Self {
        Self { rules: vec![rule], is_yes: false }
    }

    /// Whether more must be known of a call of this tool than its name.
    pub(crate) fn reads_arguments(&self, spec: &ToolSpec) -> bool {
        self.asks(spec).is_some() || self.rules.iter().any(|rule| matches!(rule, Rule::Decide(_)))
    }

    /// Whether it blocks nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// What the rules say; the first that blocks the call is the last that is asked.
    pub(crate) fn decision(&self, tool: ToolRef<'_>, arguments: &Value) -> Decision {
        let decisions = self.rules.iter().map(|rule| rule.decision(tool, arguments));
        decisions.into_iter().find(|decision| *decision != Decision::Run).unwrap_or_default()
    }

    /// What a person must answer before the call runs.
    pub(crate) fn question(&self, tool: ToolRef<'_>, arguments: &Value) -> Option<String> {
        let properties = tool.parameters().map_or(&Value::Null, |parameters| &parameters.schema()["properties"]);
        Some(question::fill(self.asks(tool.spec())?, arguments, properties))
    }

    fn asks(&self, spec: &ToolSpec) -> Option<&'static str> {
        spec.confirm.filter(|_| !self.is_yes)
    }

    /// The tools and namespaces that the rules name.
    #[cfg(feature = "cli")]
    pub(crate) fn named(&self) -> impl Iterator<Item = &Tools> {
        let listed = |rule| match rule {
            &Rule::Only(ref tools) | &Rule::Not(ref tools) => tools.as_slice(),
            &Rule::Decide(_) => &[],
        };
        self.rules.iter().flat_map(listed).filter(|tools| matches!(tools, Tools::Name(_) | Tools::Namespace(_)))
    }
}

impl Rule {
    fn decision(&self, tool: ToolRef<'_>, arguments: &Value) -> Decision {
        let is_among = |tools: &[Tools]| tools.iter().any(|tools| tools.has(tool.spec()));
        let is_blocked = match self {
            Self::Only(tools) => !is_among(tools),
            Self::Not(tools) => is_among(tools),
            Self::Decide(decide) => return decide(tool, arguments),
        };
        if is_blocked { Decision::block(format!("{BLOCKED} by the policy `{self}`")) } else { Decision::Run }
    }
}

/// As a text, except for functions.
impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (rule, tools) = match self {
            Self::Only(tools) if tools[..] == [Tools::ReadOnly] => return f.write_str("read-only"),
            Self::Only(tools) => ("allow", tools),
            Self::Not(tools) => ("deny", tools),
            Self::Decide(_) => return f.write_str("(a function)"),
        };
        let tools: Vec<String> = tools.iter().map(Tools::to_string).collect();
        write!(f, "{rule}={}", tools.join(","))
    }
}

impl fmt::Debug for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// See [`Policy`] for the grammar.
impl FromStr for Policy {
    type Err = PolicyError;

    fn from_str(text: &str) -> Result<Self, PolicyError> {
        let grammar = "write `read-only`, `allow=TOOL,..`, `deny=TOOL,..` or `yes`";
        let list = |tools: &str| tools.split(',').map(Tools::from_str).collect::<Result<Vec<_>, _>>();
        let rules = text.split_whitespace().map(|rule| match (rule, rule.split_once('=')) {
            ("read-only", _) => Ok(Self::read_only()),
            ("yes", _) => Ok(Self::yes()),
            (_, Some(("allow", tools))) => Ok(Self::allow(list(tools)?)),
            (_, Some(("deny", tools))) => Ok(Self::deny(list(tools)?)),
            _ => Err(PolicyError(format!("`{rule}` is no rule: {grammar}"))),
        });
        let policies = rules.collect::<Result<Vec<_>, _>>()?;
        policies.into_iter().reduce(Self::and).ok_or_else(|| PolicyError(format!("there is no rule: {grammar}")))
    }
}

/// Tools that a [`Policy`] is about.
///
/// A `&str` or `String` that becomes one is the name of a tool. As texts, in the grammar of policies, they are `NAME`,
/// `NAMESPACE/`, `@read-only`, `@destructive`, `@idempotent` and `@open-world`.
///
/// ```
/// use pi_tools::Tools;
///
/// assert_eq!(Tools::from("move"), Tools::Name("move".to_owned()));
/// assert_eq!("git/".parse::<Tools>().unwrap(), Tools::Namespace("git".to_owned()));
/// assert_eq!(Tools::OpenWorld.to_string(), "@open-world");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Tools {
    /// The tool of this name.
    Name(String),
    /// Those of this [`namespace`](ToolSpec::namespace).
    Namespace(String),
    /// Those that say they change nothing.
    ReadOnly,
    /// Those that say that what they change may be lost.
    Destructive,
    /// Those that say that a second call changes nothing more.
    Idempotent,
    /// Those that say they reach things outside of the machine.
    OpenWorld,
}

impl Tools {
    const ANNOTATIONS: [(&str, Self); 4] = [
        ("@read-only", Self::ReadOnly),
        ("@destructive", Self::Destructive),
        ("@idempotent", Self::Idempotent),
        ("@open-world", Self::OpenWorld),
    ];

    /// Whether the tool is one of them.
    #[must_use]
    pub fn has(&self, tool: &ToolSpec) -> bool {
        match self {
            Self::Name(name) => tool.name == name,
            Self::Namespace(namespace) => tool.namespace == Some(namespace),
            Self::ReadOnly => tool.read_only == Some(true),
            Self::Destructive => tool.destructive == Some(true),
            Self::Idempotent => tool.idempotent == Some(true),
            Self::OpenWorld => tool.open_world == Some(true),
        }
    }
}

impl From<&str> for Tools {
    fn from(name: &str) -> Self {
        Self::Name(name.to_owned())
    }
}

impl From<String> for Tools {
    fn from(name: String) -> Self {
        Self::Name(name)
    }
}

impl fmt::Display for Tools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::Namespace(namespace) => write!(f, "{namespace}/"),
            annotation => {
                let texts = Self::ANNOTATIONS;
                f.write_str(texts.iter().find(|(_, tools)| tools == annotation).map_or("", |(text, _)| text))
            }
        }
    }
}

impl FromStr for Tools {
    type Err = PolicyError;

    fn from_str(text: &str) -> Result<Self, PolicyError> {
        if text.starts_with('@') {
            let annotation = Self::ANNOTATIONS.into_iter().find(|(name, _)| *name == text);
            let names = Self::ANNOTATIONS.map(|(name, _)| name).join(", ");
            let unknown = || PolicyError(format!("`{text}` is no annotation: write one of {names}"));
            return annotation.map(|(_, tools)| tools).ok_or_else(unknown);
        }
        match text.strip_suffix('/').unwrap_or(text) {
            "" => Err(PolicyError("the name of a tool or namespace is empty".to_owned())),
            namespace if namespace != text => Ok(Self::Namespace(namespace.to_owned())),
            name => Ok(Self::from(name)),
        }
    }
}

/// Why a text is no [`Policy`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyError(String);

impl fmt::Display for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for PolicyError {}

/// What becomes of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Decision {
    /// It runs, unless somebody else who is asked decides otherwise.
    #[default]
    Run,
    /// It does not run, and nobody else is asked.
    Block {
        /// What the model reads; empty for `Tool execution was blocked`.
        reason: String,
        /// Whether the agent may stop here: see [`ToolOutput::with_terminate`].
        terminate: bool,
    },
}

impl Decision {
    /// The call does not run, and the model reads why.
    #[must_use]
    pub fn block(reason: impl Into<String>) -> Self {
        Self::Block { reason: reason.into(), terminate: false }
    }

    /// What a person decided; `None` if there is nobody.
    pub(crate) fn answered(question: &str, answer: Option<bool>) -> Self {
        match answer {
            Some(true) => Self::Run,
            Some(false) => Self::block(format!("{BLOCKED}: the user said no to \"{question}\"")),
            None => Self::block(format!(
                "{BLOCKED}: it needs the answer yes to \"{question}\", and nobody is there to give it. The policy `yes` \
                 answers in advance: `--policy yes` on the command line, `Policy::yes()` in a program."
            )),
        }
    }

    /// The output of a call that must not run.
    pub(crate) fn refusal(self) -> Option<ToolOutput> {
        let Self::Block { reason, terminate } = self else { return None };
        let reason = if reason.is_empty() { BLOCKED.into() } else { reason };
        Some(ToolOutput::thrown(ToolError::new(reason)).with_terminate(terminate))
    }
}
