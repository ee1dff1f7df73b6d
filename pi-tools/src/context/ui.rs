//! The user, as a call reaches them.

use std::time::Duration;

use super::ToolContext;
use crate::host::{Dialog, Level};

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
    time_limit: Option<Duration>,
}

impl ToolContext {
    /// The user, if there is one.
    #[must_use]
    pub fn ui(&self) -> Ui<'_> {
        Ui { cx: self, time_limit: None }
    }
}

impl Ui<'_> {
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

    fn dialog<'d>(&'d self, title: &'d str) -> Dialog<'d> {
        Dialog { time_limit: self.time_limit, ..Dialog::new(self.cx.call_id(), title) }
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
