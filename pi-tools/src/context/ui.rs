//! The user, as a call reaches them.

use std::time::Duration;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use super::ToolContext;
use crate::error::ToolError;
use crate::host::{Dialog, Form, Level};

/// The user, as a call reaches them. From [`ToolContext::ui`].
///
/// Who is asked may not be there, go away, or never answer: every question has `None` for that. A question ends with its
/// call, so also when that is cancelled.
///
/// | | who answers |
/// | --- | --- |
/// | Pi in a terminal, or driven over RPC | the user, in a dialog of Pi |
/// | Pi with `--print` or `--mode json` | nobody |
/// | a client of MCP | the user, in a form of the client, if it has forms |
/// | the command line | who sits at the terminal, if standard input and error are one |
/// | an application of your own | its [`Host`](crate::Host) |
///
/// ```
/// use std::time::Duration;
///
/// use pi_tools::prelude::*;
///
/// /// Ask which colour is meant.
/// #[pi_tool]
/// async fn colour(cx: &ToolContext) -> String {
///     let ui = cx.ui().time_limit(Duration::from_secs(60));
///     match ui.select("Which colour?", ["red", "green"]).await {
///         Some(colour) => format!("The user wants {colour}."),
///         None => "The user did not say.".to_owned(),
///     }
/// }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Ui<'a> {
    cx: &'a ToolContext,
    name: Option<&'a str>,
    time_limit: Option<Duration>,
}

impl ToolContext {
    /// The user, if there is one.
    #[must_use]
    pub fn ui(&self) -> Ui<'_> {
        Ui { cx: self, name: None, time_limit: None }
    }
}

impl<'a> Ui<'a> {
    /// Whether a user can see notices and answer questions.
    #[must_use]
    pub fn available(&self) -> bool {
        self.cx.host().has_ui()
    }

    /// Shows a notice. Nothing happens where there is no user.
    ///
    /// ```
    /// # let cx = pi_tools::ToolContext::new();
    /// cx.ui().notify("added", pi_tools::Level::Info);
    /// ```
    pub fn notify(&self, message: impl AsRef<str>, level: Level) {
        self.cx.host().notify(self.cx.call_id(), message.as_ref(), level);
    }

    /// Shows a short text under this key until another replaces it: in the footer of Pi. It stays when the call ends.
    ///
    /// ```
    /// # let cx = pi_tools::ToolContext::new();
    /// cx.ui().set_status("deploy", "2 of 5 services");
    /// cx.ui().clear_status("deploy");
    /// ```
    pub fn set_status(&self, key: &str, text: impl AsRef<str>) {
        self.cx.host().set_status(self.cx.call_id(), key, Some(text.as_ref()));
    }

    /// Takes the text under this key away.
    pub fn clear_status(&self, key: &str) {
        self.cx.host().set_status(self.cx.call_id(), key, None);
    }

    /// Lets questions wait so long for an answer; `None` is the answer then. It needs a tokio runtime with its timer
    /// enabled, as every host of this library has one; elsewhere only the application may end a question.
    #[must_use]
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.time_limit = Some(limit);
        self
    }

    /// Names the questions. A client of MCP since 2026-07-28 gets the question by this key, with a number behind it from the
    /// second time of a call on; without a name it is a number. Elsewhere it says nothing.
    ///
    /// ```
    /// # async fn ask(cx: &pi_tools::ToolContext) {
    /// let name = cx.ui().named("user_name").input("What is your name?", "").await;
    /// # }
    /// ```
    #[must_use]
    pub fn named(mut self, name: &'a str) -> Self {
        self.name = Some(name);
        self
    }

    /// Asks for a yes or a no. The message says more than the title, and may be empty.
    ///
    /// In Pi a dialog that is closed is a no.
    pub async fn confirm(&self, title: &str, message: &str) -> Option<bool> {
        self.within(self.cx.host().confirm(self.dialog(title), message)).await
    }

    /// Lets the user choose one of some texts.
    pub async fn select<T: Into<String>>(&self, title: &str, options: impl IntoIterator<Item = T>) -> Option<String> {
        let options: Vec<String> = options.into_iter().map(Into::into).collect();
        let answer = self.within(self.cx.host().select(self.dialog(title), &options)).await;
        answer.filter(|answer| options.contains(answer))
    }

    /// Lets the user write a line. The placeholder is shown while there is nothing, and may be empty.
    pub async fn input(&self, title: &str, placeholder: &str) -> Option<String> {
        self.within(self.cx.host().input(self.dialog(title), placeholder)).await
    }

    /// Lets the user write or change a text of several lines.
    pub async fn editor(&self, title: &str, text: &str) -> Option<String> {
        self.within(self.cx.host().editor(self.dialog(title), text)).await
    }

    /// Lets the user fill in a form with a field for each of `T`: a text, a number, a boolean, an enum of texts or a list of
    /// its values, as [`Form::of`] says. A client of MCP shows them together; elsewhere one question follows another, and
    /// one that nobody answers ends them all.
    ///
    /// ```
    /// use pi_tools::prelude::*;
    /// use pi_tools::schemars::JsonSchema;
    ///
    /// #[derive(Deserialize, JsonSchema)]
    /// struct Trip {
    ///     /// Where to?
    ///     city: String,
    ///     /// For how many nights?
    ///     #[serde(default = "one")]
    ///     nights: u8,
    /// }
    ///
    /// fn one() -> u8 {
    ///     1
    /// }
    ///
    /// /// Book a trip.
    /// #[pi_tool]
    /// async fn book(cx: &ToolContext) -> Result<String, ToolError> {
    ///     Ok(match cx.ui().form::<Trip>("Your trip").await? {
    ///         Some(Trip { city, nights }) => format!("{nights} nights in {city}"),
    ///         None => "The user did not say.".to_owned(),
    ///     })
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// When `T` is no form, or an answer does not fit; either names the field.
    pub async fn form<T: JsonSchema + DeserializeOwned>(&self, title: &str) -> Result<Option<T>, ToolError> {
        let form = Form::of::<T>()?;
        let Some(mut answers) = self.within(self.cx.host().form(self.dialog(title), &form)).await else {
            return Ok(None);
        };
        answers.retain(|_, answer| !answer.is_null());
        form.check(&answers)?;
        let decoded = serde_json::from_value(answers.into());
        decoded.map_err(|error| ToolError::new(format!("the user's answers to \"{title}\": {error}")))
    }

    fn dialog<'d>(&'d self, title: &'d str) -> Dialog<'d> {
        Dialog { name: self.name, time_limit: self.time_limit, ..Dialog::new(self.cx.call_id(), title) }
    }

    async fn within<T>(&self, answer: impl Future<Output = Option<T>>) -> Option<T> {
        match self.time_limit {
            Some(limit) if tokio::runtime::Handle::try_current().is_ok() => {
                tokio::time::timeout(limit, answer).await.ok().flatten()
            }
            _ => answer.await,
        }
    }
}
