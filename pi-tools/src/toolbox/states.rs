//! Which states of a session the tools have.

use std::collections::BTreeSet;

use super::Toolbox;

impl Toolbox {
    /// The keys of the states of all tools: for [`SessionFile::session`](crate::SessionFile::session) and
    /// [`Session::restore`](crate::Session::restore).
    ///
    /// ```
    /// use pi_tools::prelude::*;
    ///
    /// #[derive(Clone, Default, Serialize, Deserialize, SessionState)]
    /// struct Notes(Vec<String>);
    ///
    /// /// Forget all notes.
    /// #[pi_tool(handle = Forget, register = false)]
    /// fn forget(notes: &mut Notes) {
    ///     notes.0.clear();
    /// }
    ///
    /// let toolbox = Toolbox::builder().tool(Forget).build().unwrap();
    /// assert_eq!(toolbox.state_keys(), ["notes"]);
    /// ```
    #[must_use]
    pub fn state_keys(&self) -> Vec<&'static str> {
        let keys: BTreeSet<_> = self.entries.iter().flat_map(|entry| &entry.state_keys).copied().collect();
        keys.into_iter().collect()
    }
}
