//! A state as its type: how it begins, is read from the session, and goes back into it.

use std::fmt;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::Locked;
use crate::error::ToolError;

/// A type whose value lives in the session; a tool takes it as `&mut T`.
///
/// The call gets a copy and holds the state until it ends, so calls that share one wait for each other, and a tool that calls
/// another with the same state gets an error from it. Success commits the copy, an error, a panic or a cancellation drops it. Derive it with
/// `#[derive(SessionState)]`; the key defaults to the type's name in snake case.
///
/// # Example
///
/// ```
/// use pi_tools::SessionState;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Clone, Default, Serialize, Deserialize, SessionState)]
/// #[session_state(key = "todos")]
/// struct Todos(Vec<String>);
/// assert_eq!(Todos::KEY, "todos");
/// ```
#[diagnostic::on_unimplemented(
    message = "`&mut {Self}` is not session state",
    label = "`SessionState` is not implemented for `{Self}`",
    note = "derive it: `#[derive(Clone, Default, Serialize, Deserialize, SessionState)]`",
    note = "an argument from the model is an owned value: `{Self}` without `&mut`"
)]
pub trait SessionState: Sized + Send + 'static {
    /// The key in `details`. All tools of one application that use it share the state.
    const KEY: &'static str;

    /// How a value begins, is read and is written: [`StateForm::of`].
    const FORM: StateForm<Self>;
}

/// How the values of a state begin, are read and are written.
///
/// A constant of [`SessionState`] in place of bounds: what a type lacks is then told once, where the state is derived.
pub struct StateForm<S> {
    pub(super) default: fn() -> S,
    pub(super) read: fn(&Value) -> serde_json::Result<S>,
    write: fn(&S) -> serde_json::Result<Value>,
}

impl<S> StateForm<S> {
    /// The one form that there is: as serde has it.
    ///
    /// ```
    /// use pi_tools::{SessionState, StateForm};
    ///
    /// #[derive(Clone, Default, serde::Serialize, serde::Deserialize)]
    /// struct Todos(Vec<String>);
    ///
    /// // What the derive writes.
    /// impl SessionState for Todos {
    ///     const KEY: &'static str = "todos";
    ///     const FORM: StateForm<Self> = StateForm::of();
    /// }
    /// ```
    #[must_use]
    pub const fn of() -> Self
    where
        S: Default + Serialize + DeserializeOwned,
    {
        Self { default: S::default, read: |value| S::deserialize(value), write: |state| serde_json::to_value(state) }
    }
}

impl<S> fmt::Debug for StateForm<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StateForm").finish_non_exhaustive()
    }
}

/// The states of one tool: `()` for none, `(First, (Second, ()))` for two.
pub trait StateSet: Sized + Send + 'static {
    /// Adds the keys, in the order of the parameters.
    fn keys(keys: &mut Vec<&'static str>);

    /// Reads the states; a missing one is the default.
    ///
    /// # Errors
    ///
    /// When a stored value is not of the state's type.
    fn load(states: &Locked) -> Result<Self, ToolError>;

    /// Adds the states by key.
    ///
    /// # Errors
    ///
    /// When a state does not serialise.
    fn store(&self, states: &mut Map<String, Value>) -> Result<(), ToolError>;
}

impl StateSet for () {
    fn keys(_: &mut Vec<&'static str>) {}

    fn load(_: &Locked) -> Result<Self, ToolError> {
        Ok(())
    }

    fn store(&self, _: &mut Map<String, Value>) -> Result<(), ToolError> {
        Ok(())
    }
}

impl<S: SessionState, Rest: StateSet> StateSet for (S, Rest) {
    fn keys(keys: &mut Vec<&'static str>) {
        keys.push(S::KEY);
        Rest::keys(keys);
    }

    fn load(states: &Locked) -> Result<Self, ToolError> {
        Ok((states.load()?, Rest::load(states)?))
    }

    fn store(&self, states: &mut Map<String, Value>) -> Result<(), ToolError> {
        store(&self.0, states)?;
        self.1.store(states)
    }
}

/// Adds a state by its key.
pub(crate) fn store<S: SessionState>(state: &S, states: &mut Map<String, Value>) -> Result<(), ToolError> {
    let failed = |problem: &dyn fmt::Display| {
        ToolError::new(format!("the session's state `{}` cannot be stored: {problem}; it was left as it is", S::KEY))
    };
    let value = (S::FORM.write)(state).map_err(|error| failed(&error))?;
    if let Some(problem) = loss(&value, 0) {
        return Err(failed(&problem));
    }
    // What does not come back, like a number that is none, would be in the way of every call to come.
    (S::FORM.read)(&value).map_err(|error| failed(&error))?;
    states.insert(S::KEY.to_owned(), value);
    Ok(())
}

/// How deep a state may be: a session's other readers go no deeper than 128, with all that is around it.
const DEEP: usize = 100;

/// What would not be the same after Pi has written and read it, whose numbers are those of JavaScript.
fn loss(value: &Value, depth: usize) -> Option<String> {
    const EXACT: u64 = 1 << 53;
    match value {
        _ if depth > DEEP => Some(format!("it is nested deeper than {DEEP}")),
        Value::Number(number) => {
            let is_wide =
                number.as_u64().is_some_and(|n| n > EXACT) || number.as_i64().is_some_and(|n| n.unsigned_abs() > EXACT);
            is_wide.then(|| format!("{number} is beyond 2^53, which Pi does not keep; a text would be"))
        }
        Value::Array(items) => items.iter().find_map(|item| loss(item, depth + 1)),
        Value::Object(members) => members.values().find_map(|member| loss(member, depth + 1)),
        _ => None,
    }
}
